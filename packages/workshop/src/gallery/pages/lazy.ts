import type { Entry, Group } from "../entry.ts";
import { everySection, html, sectionProbe, sections, sizeOfSections } from "../html.ts";
import { GRAY, GREEN } from "../palette.ts";

const COUNT = 12;
const IMAGE = `/image/${GREEN.slice(1)}`;
const FRAME = `/color/${GREEN.slice(1)}`;
/** Each response has a separate URL and is late, so the capture itself does not load it in time. */
const late = (path: string, number: number): string => `${path}?section=${number}&after=400`;

/** Without scrolling, only the parts in view load. */
const UNSCROLLED = {
  parameters: { fullPage: true, lazyContent: "off" },
  expected: {
    size: sizeOfSections(COUNT),
    colors: [sectionProbe(COUNT, GRAY)],
  },
} as const;
const COMPLETE = { size: sizeOfSections(COUNT), colors: everySection(COUNT) };
const SCROLLED = { parameters: { fullPage: true }, expected: COMPLETE, maxMs: 4000 } as const;
/** Few steps to the end, so even a busy machine completes them within the two-second limit. */
const HIGH = { width: 400, height: 900 } as const;
const SCROLLED_UNTIL_STILL = {
  parameters: { fullPage: true, lazyContent: "scroll" },
  expected: COMPLETE,
  maxMs: 6000,
} as const;

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
  before: UNSCROLLED,
  after: SCROLLED,
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
  before: UNSCROLLED,
  after: SCROLLED_UNTIL_STILL,
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
  before: { ...UNSCROLLED, parameters: { ...UNSCROLLED.parameters, ...HIGH } },
  after: { ...SCROLLED, parameters: { ...SCROLLED.parameters, ...HIGH } },
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
  before: UNSCROLLED,
  after: SCROLLED_UNTIL_STILL,
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
  before: UNSCROLLED,
  after: SCROLLED_UNTIL_STILL,
};

/** Lazy frames load even if they are 4,000 pixels below the viewport. */
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
  before: {
    ...UNSCROLLED,
    expected: {
      size: sizeOfSections(COUNT, INTRODUCTION),
      colors: [sectionProbe(COUNT, GRAY, INTRODUCTION)],
    },
  },
  after: {
    ...SCROLLED_UNTIL_STILL,
    expected: {
      size: sizeOfSections(COUNT, INTRODUCTION),
      colors: everySection(COUNT, GREEN, INTRODUCTION),
    },
  },
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
  before: {
    parameters: { ...UNSCROLLED.parameters, ...HIGH },
    expected: { size: sizeOfSections(COUNT), colors: [sectionProbe(COUNT, "#ffffff")] },
  },
  after: {
    parameters: { fullPage: true, stabilize: true, ...HIGH },
    expected: { size: sizeOfSections(COUNT), colors: everySection(COUNT) },
    maxMs: 6000,
  },
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
  before: {
    parameters: { fullPage: true, lazyContent: "off" },
    expected: { size: [400, 3 * 360 + 1], colors: everySection(3) },
  },
  after: {
    parameters: { fullPage: true, lazyContent: "scroll", fullPageMaxHeight: 3600 },
    expected: { size: [400, 3600], colors: everySection(10), notes: ["height-capped"] },
    maxMs: 12_000,
  },
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
