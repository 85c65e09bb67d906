import { withNotes, picture, withSize, type Entry, type Group } from "../entry.ts";
import { everySection, html, lastSection, sections } from "../html.ts";
import { GRAY, GREEN, WHITE } from "../palette.ts";

const COUNT = 12;
const IMAGE = `/image/${GREEN.slice(1)}`;
const FRAME = `/color/${GREEN.slice(1)}`;
/** A different URL per section. The response is too late if the browser requests it only for the capture. */
const late = (path: string, number: number): string => `${path}?section=${number}&after=400`;

/** Needs few scroll steps, so even a busy machine completes them within the two-second limit. */
const TALL = { width: 400, height: 900 } as const;
/** Without scrolling, parts far below the viewport do not load. */
const UNSCROLLED = { fullPage: true, lazyContent: "off" } as const;
const SCROLLED = { fullPage: true, lazyContent: "scroll" } as const;

const attributeLazy: Entry = {
  name: "attribute-lazy",
  title: "Images with `loading=lazy`",
  about:
    "Twelve images that the browser loads when they come near the viewport. `lazyContent` is `auto` by default.",
  page: html({
    body: sections(
      COUNT,
      (number) => `<img class="area" src="${late(IMAGE, number)}" loading="lazy" alt="">`,
    ),
  }),
  before: picture(UNSCROLLED, lastSection(COUNT, GRAY)),
  after: picture({ fullPage: true }, everySection(COUNT)),
  maxMs: 4000,
};

const dataSrc: Entry = {
  name: "data-src",
  title: "Images with `data-src`",
  about: "A script sets the `src` of each image when the page is scrolled to it.",
  page: html({
    body: sections(COUNT, () => `<img class="area" data-src="${IMAGE}" alt="">`),
    script: `
      function loadVisible() {
        for (const image of document.querySelectorAll("[data-src]")) {
          const { top, bottom } = image.getBoundingClientRect();
          if (top > innerHeight || bottom < 0) continue;
          image.src = image.dataset.src;
          delete image.dataset.src;
        }
      }
      addEventListener("scroll", loadVisible);
      loadVisible();`,
  }),
  before: picture(UNSCROLLED, lastSection(COUNT, GRAY)),
  after: picture(SCROLLED, everySection(COUNT)),
  maxMs: 6000,
};

/** Calls `show(element)` for each `.area` that comes into view. */
const observe = (show: string): string => `
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) (${show})(target);
  });
  for (const area of document.querySelectorAll(".area")) observer.observe(area);`;

const observer: Entry = {
  name: "observer",
  title: "Sections behind an `IntersectionObserver`",
  about: "Each section gets its content when it comes into view.",
  page: html({
    body: sections(COUNT, () => `<div class="area"></div>`),
    script: observe(`(area) => { area.style.background = "${GREEN}"; }`),
  }),
  before: picture({ ...UNSCROLLED, ...TALL }, lastSection(COUNT, GRAY)),
  after: picture({ fullPage: true, ...TALL }, everySection(COUNT)),
  maxMs: 4000,
};

const lazyBackground: Entry = {
  name: "lazy-background",
  title: "Backgrounds that load in view",
  about: "A class with a background image is added to each section that comes into view.",
  page: html({
    style: `.area.seen { background: url(${IMAGE}) 0 0 / 100% 100%; }`,
    body: sections(COUNT, () => `<div class="area"></div>`),
    script: observe(`(area) => { area.classList.add("seen"); }`),
  }),
  before: picture(UNSCROLLED, lastSection(COUNT, GRAY)),
  after: picture(SCROLLED, everySection(COUNT)),
  maxMs: 6000,
};

const shadowRoot: Entry = {
  name: "shadow-root",
  title: "Images in shadow roots",
  about: "Twelve custom elements, each with a lazy image in its shadow root.",
  page: html({
    body: sections(COUNT, (number) => `<lazy-picture src="${late(IMAGE, number)}"></lazy-picture>`),
    script: `
      customElements.define("lazy-picture", class extends HTMLElement {
        connectedCallback() {
          this.attachShadow({ mode: "open" }).innerHTML =
            '<img loading="lazy" src="' + this.getAttribute("src") + '" alt="" style="display: block; width: 100%; height: 300px; background: ${GRAY}">';
        }
      });`,
  }),
  before: picture(UNSCROLLED, lastSection(COUNT, GRAY)),
  after: picture(SCROLLED, everySection(COUNT)),
  maxMs: 6000,
};

/** Moves the last frame out of reach: lazy frames load up to 4,000 pixels below the viewport. */
const INTRODUCTION = 600;

const lazyFrame: Entry = {
  name: "lazy-frame",
  title: "Frames with `loading=lazy`",
  about: "Twelve frames that load when they come near the viewport, as embedded maps and videos do.",
  page: html({
    body: `<h1 style="height: ${INTRODUCTION}px">Maps</h1>${sections(
      COUNT,
      (number) => `<iframe class="area" src="${late(FRAME, number)}" loading="lazy"></iframe>`,
    )}`,
  }),
  before: picture(UNSCROLLED, lastSection(COUNT, GRAY, INTRODUCTION)),
  after: picture(SCROLLED, everySection(COUNT, GREEN, INTRODUCTION)),
  maxMs: 6000,
};

const fadeIn: Entry = {
  name: "fade-in",
  title: "Content that fades in on scroll",
  about: "Sections are transparent until they are scrolled into view, and then fade in.",
  page: html({
    style: ".area { opacity: 0; background: #2e7d32; transition: opacity 0.4s; } .area.seen { opacity: 1; }",
    body: sections(COUNT, () => `<div class="area"></div>`),
    script: observe(`(area) => { area.classList.add("seen"); }`),
  }),
  before: picture({ ...UNSCROLLED, ...TALL }, lastSection(COUNT, WHITE)),
  after: picture({ fullPage: true, stabilize: true, ...TALL }, everySection(COUNT)),
  maxMs: 6000,
};

const infiniteScroller: Entry = {
  name: "infinite-scroller",
  title: "A page that never ends",
  about: "Three more sections are added whenever the end comes into view.",
  page: html({
    style: `.area { background: ${GREEN}; }`,
    body: `<main></main><div id="end" style="height: 1px"></div>`,
    script: `
      const main = document.querySelector("main");
      new IntersectionObserver(([{ isIntersecting }], observer) => {
        if (!isIntersecting) return;
        for (let added = 0; added < 3; added += 1)
          main.insertAdjacentHTML("beforeend",
            "<section><h2>Section " + (main.children.length + 1) + "</h2><div class=area></div></section>");
        observer.unobserve(end);
        observer.observe(end);
      }).observe(end);`,
  }),
  before: picture(UNSCROLLED, everySection(3), withSize(400, 3 * 360 + 1)),
  after: picture({ ...SCROLLED, fullPageMaxHeight: 3600 }, everySection(10), withNotes("height-capped")),
  maxMs: 12_000,
};

export const LAZY: Group = {
  title: "Content that loads on scroll",
  entries: [
    attributeLazy,
    dataSrc,
    observer,
    lazyBackground,
    shadowRoot,
    lazyFrame,
    fadeIn,
    infiniteScroller,
  ],
};
