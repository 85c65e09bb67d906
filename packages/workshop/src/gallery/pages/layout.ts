import type { Entry, Group } from "../entry.ts";
import { everySection, html, sections, sizeOfSections } from "../html.ts";
import { GRAY, GREEN, NAVY, RED, WHITE } from "../palette.ts";

const AREA = `<div class="area"></div>`;
const HEADER = 48;

const hero: Entry = {
  name: "hero",
  title: "A `100vh` hero section",
  about: "The first part is as tall as the viewport, even in a picture of the whole page.",
  page: html({
    style: `.hero { height: 100vh; background: ${GREEN}; }`,
    body: `<div class="hero"></div>${sections(3, () => AREA)}`,
  }),
  before: { parameters: {}, expected: { size: [400, 300], colors: [[200, 299, GREEN]] } },
  after: {
    parameters: { fullPage: true },
    expected: {
      size: sizeOfSections(3, 300),
      colors: [[200, 299, GREEN], [200, 301, WHITE], ...everySection(3, GRAY, 300)],
    },
    maxMs: 2500,
  },
};

const stickyHeader: Entry = {
  name: "sticky-header",
  title: "A sticky header and footer",
  about: "A header that shrinks while the page is scrolled, and a footer at the bottom of the viewport.",
  page: html({
    style: `
      h1 { position: sticky; top: 0; }
      h1.small { height: 20px; }
      footer { position: fixed; bottom: 0; width: 100%; height: 30px; background: ${GREEN}; }`,
    body: `<h1>Header</h1>${sections(6, () => AREA)}<footer></footer>`,
    script: `
      const header = document.querySelector("h1");
      addEventListener("scroll", () => header.classList.toggle("small", scrollY > 0));`,
  }),
  before: {
    parameters: {},
    expected: {
      size: [400, 300],
      colors: [
        [390, 40, NAVY],
        [390, 285, GREEN],
      ],
    },
  },
  after: {
    parameters: { fullPage: true },
    expected: {
      size: sizeOfSections(6, HEADER),
      colors: [[390, 40, NAVY]],
      once: [
        [390, NAVY],
        [390, GREEN],
      ],
    },
    maxMs: 3000,
  },
};

const appShell: Entry = {
  name: "app-shell",
  title: "An app with a scrolling main area",
  about: "The page is as tall as the viewport, and its main part has its own scroll bar.",
  page: html({
    style: `
      body { display: flex; flex-direction: column; height: 100vh; overflow: hidden; }
      h1 { flex: none; }
      main { flex: 1; overflow: auto; }
      .area { background: ${GREEN}; }`,
    body: `<h1>App</h1><main>${sections(6, () => AREA)}</main>`,
  }),
  before: { parameters: { fullPage: true }, expected: { size: [400, 300], colors: [[390, 40, NAVY]] } },
  after: {
    parameters: { fullPage: true, expandScrollers: true },
    expected: {
      size: sizeOfSections(6, HEADER),
      colors: [[390, 40, NAVY], ...everySection(6, GREEN, HEADER)],
    },
    maxMs: 3000,
  },
};

const tall: Entry = {
  name: "tall",
  title: "A page 30,000 pixels tall",
  about: "Only the first 3,000 pixels of a long page are wanted.",
  page: html({
    style: `body { height: 30000px; background: linear-gradient(${GREEN} 3000px, ${RED} 3000px); }`,
    body: "",
  }),
  before: {
    parameters: { fullPage: true },
    expected: {
      size: [400, 30_000],
      colors: [
        [200, 2990, GREEN],
        [200, 29_990, RED],
      ],
    },
  },
  after: {
    parameters: { fullPage: true, fullPageMaxHeight: 3000 },
    expected: { size: [400, 3000], colors: [[200, 2990, GREEN]], absent: [RED], notes: ["height-capped"] },
    maxMs: 4000,
  },
};

const element: Entry = {
  name: "element",
  title: "One element",
  about: "A card in the middle of a page, with some space around it.",
  page: html({
    style: `.card { position: absolute; left: 100px; top: 100px; width: 200px; height: 100px; background: ${GREEN}; }`,
    body: `<h1>Header</h1><div class="card"></div>`,
  }),
  before: {
    parameters: { selector: ".card" },
    expected: {
      size: [200, 100],
      colors: [
        [0, 0, GREEN],
        [199, 99, GREEN],
      ],
    },
  },
  after: {
    parameters: { selector: ".card", padding: 20 },
    expected: {
      size: [240, 140],
      colors: [
        [10, 10, WHITE],
        [20, 20, GREEN],
        [219, 119, GREEN],
        [230, 130, WHITE],
      ],
    },
    maxMs: 2000,
  },
};

export const LAYOUT: Group = {
  title: "The area of the picture",
  entries: [hero, stickyHeader, appShell, tall, element],
};
