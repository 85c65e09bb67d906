import { at, picture, withSize, without, type Entry, type Group } from "../entry.ts";
import { html } from "../html.ts";
import { GRAY, GREEN, NAVY, RED, WHITE } from "../palette.ts";
import { REGION_ENTRIES } from "./region.ts";

const PANEL = "margin: 40px 20px; height: 160px;";

const darkMode: Entry = {
  name: "dark-mode",
  title: "Dark mode",
  about: "The page has a dark color scheme.",
  page: html({
    style: `
      .panel { ${PANEL} background: ${GRAY}; }
      @media (prefers-color-scheme: dark) {
        body { background: #121212; }
        .panel { background: ${GREEN}; }
      }`,
    body: `<h1>Settings</h1><div class="panel"></div>`,
  }),
  before: picture({}, at(10, 290, WHITE), at(200, 150, GRAY)),
  after: picture({ colorScheme: "dark" }, at(10, 290, "#121212"), at(200, 150, GREEN)),
};

const forcedColors: Entry = {
  name: "forced-colors",
  title: "Forced colors",
  about: "In a high-contrast mode, the browser replaces the page's colors, except in one part.",
  page: html({
    style: `
      .panel { ${PANEL} background: ${RED}; }
      .badge { width: 100px; height: 100px; background: ${RED}; }
      @media (forced-colors: active) { .badge { forced-color-adjust: none; background: ${GREEN}; } }`,
    body: `<h1>Status</h1><div class="panel"><div class="badge"></div></div>`,
  }),
  before: picture({}, at(60, 120, RED), at(300, 120, RED), at(390, 20, NAVY)),
  after: picture({ forcedColors: true }, at(60, 120, GREEN), without(RED, NAVY)),
};

const phone: Entry = {
  name: "phone",
  title: "A phone",
  about:
    "The page has a layout for phones with touch screens. The picture has three device pixels per CSS pixel in each direction.",
  page: html({
    head: `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    style: `
      .cards { display: flex; gap: 20px; padding: 20px; }
      .cards div { flex: 1; height: 140px; background: ${GRAY}; }
      @media (max-width: 480px) and (pointer: coarse) {
        .cards { flex-direction: column; }
        .cards div { flex: none; background: ${GREEN}; }
      }`,
    body: `<h1>News</h1><div class="cards"><div></div><div></div><div></div></div>`,
  }),
  before: picture({ width: 800, height: 600 }, at(100, 100, GRAY), at(700, 100, GRAY), at(400, 500, WHITE)),
  after: picture(
    { device: "iphone-15-pro" },
    at(600, 400, GREEN),
    at(600, 800, GREEN),
    at(600, 1300, GREEN),
    withSize(1179, 1977),
  ),
};

const mobile: Entry = {
  name: "mobile",
  title: "A mobile layout at another size",
  about: "Like a phone, but with a viewport of your choice.",
  page: html({
    head: `<meta name="viewport" content="width=200">`,
    style: `.half { width: 100px; height: 120px; background: ${GREEN}; } @media (any-pointer: coarse) { .half { border-right: 20px solid ${NAVY}; } }`,
    body: `<div class="half"></div>`,
  }),
  before: picture({}, at(90, 60, GREEN), at(150, 60, WHITE)),
  after: picture({ mobile: true, touch: true }, at(190, 60, GREEN), at(220, 60, NAVY), at(300, 60, WHITE)),
};

const printStyle: Entry = {
  name: "printed",
  title: "Print styles",
  about: "The page hides its navigation when it is printed.",
  page: html({
    style: `
      nav { height: 60px; background: ${RED}; }
      .panel { ${PANEL} background: ${GREEN}; }
      @media print { nav { display: none; } }`,
    body: `<nav></nav><div class="panel"></div>`,
  }),
  before: picture({}, at(200, 30, RED)),
  after: picture({ mediaType: "print" }, at(200, 120, GREEN), without(RED)),
};

const userAgent: Entry = {
  name: "user-agent",
  title: "A user agent",
  about: "The page turns its panel green for a user agent that it recognizes.",
  page: html({
    style: `.panel { ${PANEL} }`,
    body: `<h1>Hello</h1><div class="panel"></div>`,
    script: `document.querySelector(".panel").style.background = navigator.userAgent.startsWith("Gallery/1.0") ? "${GREEN}" : "${GRAY}";`,
  }),
  before: picture({}, at(200, 150, GRAY)),
  after: picture({ userAgent: "Gallery/1.0 (+https://example.com/bot)" }, at(200, 150, GREEN)),
};

const withoutScripts: Entry = {
  name: "without-scripts",
  title: "Without JavaScript",
  about: "A script covers the article with a subscription prompt.",
  page: html({
    style: `.panel { ${PANEL} background: ${GREEN}; } .invitation { position: fixed; inset: 80px 60px; background: ${RED}; }`,
    body: `<h1>Article</h1><div class="panel"></div>`,
    script: `document.body.insertAdjacentHTML("beforeend", "<div class=invitation></div>");`,
  }),
  before: picture({}, at(200, 150, RED)),
  after: picture({ javascript: false }, at(200, 150, GREEN), without(RED)),
};

export const APPEARANCE: Group = {
  title: "As a particular visitor sees it",
  entries: [darkMode, forcedColors, phone, mobile, ...REGION_ENTRIES, printStyle, userAgent, withoutScripts],
};
