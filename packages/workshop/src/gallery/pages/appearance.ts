import type { Entry, Group } from "../entry.ts";
import { html } from "../html.ts";
import { GRAY, GREEN, NAVY, RED, WHITE } from "../palette.ts";
import { REGION_ENTRIES } from "./region.ts";

const SIZE = [400, 300] as const;
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
  before: {
    parameters: {},
    expected: {
      size: SIZE,
      colors: [
        [10, 290, WHITE],
        [200, 150, GRAY],
      ],
    },
  },
  after: {
    parameters: { colorScheme: "dark" },
    expected: {
      size: SIZE,
      colors: [
        [10, 290, "#121212"],
        [200, 150, GREEN],
      ],
    },
    maxMs: 2000,
  },
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
  before: {
    parameters: {},
    expected: {
      size: SIZE,
      colors: [
        [60, 120, RED],
        [300, 120, RED],
        [390, 20, NAVY],
      ],
    },
  },
  after: {
    parameters: { forcedColors: true },
    expected: { size: SIZE, colors: [[60, 120, GREEN]], absent: [RED, NAVY] },
    maxMs: 2000,
  },
};

const phone: Entry = {
  name: "phone",
  title: "A phone",
  about:
    "The page has a layout for phones with touch screens. The picture has three device pixels for each pixel.",
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
  before: {
    parameters: { width: 800, height: 600 },
    expected: {
      size: [800, 600],
      colors: [
        [100, 100, GRAY],
        [700, 100, GRAY],
        [400, 500, WHITE],
      ],
    },
  },
  after: {
    parameters: { device: "iphone-15-pro" },
    expected: {
      size: [1179, 1977],
      colors: [
        [600, 400, GREEN],
        [600, 800, GREEN],
        [600, 1300, GREEN],
      ],
    },
    maxMs: 3000,
  },
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
  before: {
    parameters: {},
    expected: {
      size: SIZE,
      colors: [
        [90, 60, GREEN],
        [150, 60, WHITE],
      ],
    },
  },
  after: {
    parameters: { mobile: true, touch: true },
    expected: {
      size: SIZE,
      colors: [
        [190, 60, GREEN],
        [220, 60, NAVY],
        [300, 60, WHITE],
      ],
    },
    maxMs: 2000,
  },
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
  before: { parameters: {}, expected: { size: SIZE, colors: [[200, 30, RED]] } },
  after: {
    parameters: { mediaType: "print" },
    expected: { size: SIZE, colors: [[200, 120, GREEN]], absent: [RED] },
    maxMs: 2000,
  },
};

const userAgent: Entry = {
  name: "user-agent",
  title: "A user agent",
  about: "The page greets a browser that it recognizes.",
  page: html({
    style: `.panel { ${PANEL} }`,
    body: `<h1>Hello</h1><div class="panel"></div>`,
    script: `document.querySelector(".panel").style.background = navigator.userAgent.startsWith("Gallery/1.0") ? "${GREEN}" : "${GRAY}";`,
  }),
  before: { parameters: {}, expected: { size: SIZE, colors: [[200, 150, GRAY]] } },
  after: {
    parameters: { userAgent: "Gallery/1.0 (+https://example.com/bot)" },
    expected: { size: SIZE, colors: [[200, 150, GREEN]] },
    maxMs: 2000,
  },
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
  before: { parameters: {}, expected: { size: SIZE, colors: [[200, 150, RED]] } },
  after: {
    parameters: { javascript: false },
    expected: { size: SIZE, colors: [[200, 150, GREEN]], absent: [RED] },
    maxMs: 2000,
  },
};

export const APPEARANCE: Group = {
  title: "As a particular visitor sees it",
  entries: [darkMode, forcedColors, phone, mobile, ...REGION_ENTRIES, printStyle, userAgent, withoutScripts],
};
