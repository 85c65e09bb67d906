import { at, withNotes, picture, withSize, without, type Entry, type Group } from "../entry.ts";
import { everySection, html, sections } from "../html.ts";
import { GRAY, GREEN, NAVY, RED, WHITE } from "../palette.ts";

const AREA = `<div class="area"></div>`;
const HEADER = 48;

const hero: Entry = {
  name: "hero",
  title: "A `100vh` hero section",
  about: "The hero section is as tall as the viewport, even in a picture of the whole page.",
  page: html({
    style: `.hero { height: 100vh; background: ${GREEN}; }`,
    body: `<div class="hero"></div>${sections(3, () => AREA)}`,
  }),
  before: picture({}, at(200, 299, GREEN)),
  after: picture({ fullPage: true }, at(200, 299, GREEN), at(200, 301, WHITE), everySection(3, GRAY, 300)),
};

const stickyHeader: Entry = {
  name: "sticky-header",
  title: "A sticky header and a fixed footer",
  about: "A header that shrinks once the page is scrolled, and a footer at the bottom of the viewport.",
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
  before: picture({}, at(390, 40, NAVY), at(390, 285, GREEN)),
  after: picture(
    { fullPage: true },
    at(390, 40, NAVY),
    at(390, 285, GREEN),
    at(390, 310, WHITE),
    at(390, 585, WHITE),
    at(390, 2190, WHITE),
    everySection(6, GRAY, HEADER),
  ),
};

const appShell: Entry = {
  name: "app-shell",
  title: "An app with a scrolling main area",
  about: "The page is as tall as the viewport, and its main area scrolls on its own.",
  page: html({
    style: `
      body { display: flex; flex-direction: column; height: 100vh; overflow: hidden; }
      h1 { flex: none; }
      main { flex: 1; overflow: auto; }
      .area { background: ${GREEN}; }`,
    body: `<h1>App</h1><main>${sections(6, () => AREA)}</main>`,
  }),
  before: picture({ fullPage: true }, at(390, 40, NAVY)),
  after: picture(
    { fullPage: true, expandScrollers: true },
    at(390, 40, NAVY),
    everySection(6, GREEN, HEADER),
  ),
};

const tall: Entry = {
  name: "tall",
  title: "A page 30,000 pixels tall",
  about: "A long page. With `fullPageMaxHeight`, only the first 3,000 pixels are rendered.",
  page: html({
    style: `body { height: 30000px; background: linear-gradient(${GREEN} 3000px, ${RED} 3000px); }`,
    body: "",
  }),
  before: picture({ fullPage: true }, at(200, 2990, GREEN), at(200, 29_990, RED), withSize(400, 30_000)),
  after: picture(
    { fullPage: true, fullPageMaxHeight: 3000 },
    at(200, 2990, GREEN),
    without(RED),
    withNotes("height-capped"),
    withSize(400, 3000),
  ),
  maxMs: 4000,
};

const element: Entry = {
  name: "element",
  title: "One element",
  about: "A card in the middle of a page. `padding` includes some space around it.",
  page: html({
    style: `.card { position: absolute; left: 100px; top: 100px; width: 200px; height: 100px; background: ${GREEN}; }`,
    body: `<h1>Header</h1><div class="card"></div>`,
  }),
  before: picture({ selector: ".card" }, at(0, 0, GREEN), at(199, 99, GREEN), withSize(200, 100)),
  after: picture(
    { selector: ".card", padding: 20 },
    at(10, 10, WHITE),
    at(20, 20, GREEN),
    at(219, 119, GREEN),
    at(230, 130, WHITE),
    withSize(240, 140),
  ),
};

export const LAYOUT: Group = {
  title: "Full pages and single elements",
  entries: [hero, stickyHeader, appShell, tall, element],
};
