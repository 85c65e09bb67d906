// @module-tag browser

import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { errorOf, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const WHITE = [255, 255, 255, 255];
const BLACK = [0, 0, 0, 255];
const MASK_COLOR = [255, 0, 255, 255];

const ROWS = `${"<p style='height:300px;margin:0;background:red'></p>".repeat(9)}<p style="height:300px;margin:0;background:green"></p>`;
const FULL_HEIGHT = "<style>html, body { height: 100%; margin: 0; overflow: hidden }</style>";

/** A part that is captured in the page's coordinates, wherever the page is scrolled to. */
const CLIP = { clipX: 0, clipY: 0, clipWidth: 300, clipHeight: 300 };

/** A page with one red element to mask. */
const MOVED = `<body style="margin:0"><p class=x style="position:absolute;left:0;top:50px;width:100px;height:50px;margin:0;background:red"></p>`;

/** A page with a red header that is drawn wherever the page is scrolled to. */
const FRAGMENT = `<body style="margin:0"><header class=x style="position:fixed;top:0;width:100%;height:50px;background:red"></header>
  <div style="height:3000px"></div><div id=last style="height:2000px;background:green"></div>`;

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/column": `${FULL_HEIGHT}<div style="display:flex;flex-direction:column;height:100vh">
      <header style="height:60px;flex:none"></header>
      <div style="display:flex;flex:1;min-height:0"><nav style="width:100px"></nav><main style="flex:1;overflow:auto">${ROWS}</main></div>
    </div>`,
    "/absolute": `${FULL_HEIGHT}<div style="position:fixed;inset:0">
      <main style="position:absolute;top:60px;left:0;right:0;bottom:0;overflow-y:scroll">${ROWS}</main></div>`,
    "/grid": `${FULL_HEIGHT}<div style="display:grid;grid-template-rows:60px minmax(0,1fr);height:100vh">
      <header></header><main style="overflow-y:auto">${ROWS}</main></div>`,
    "/shadow": `${FULL_HEIGHT}<app-shell style="display:block;height:100%">${ROWS}</app-shell><script>
      document.querySelector("app-shell").attachShadow({ mode: "open" }).innerHTML =
        "<div style='height:60px'></div><div style='height:calc(100vh - 60px);overflow:auto'><slot></slot></div>";
    </script>`,
    "/sideways": `${FULL_HEIGHT}<div style="position:fixed;inset:0;overflow:hidden"><div style="width:600px;height:100%">
        <i style="position:absolute;left:700px;width:50px;height:50px;background:green"></i>
        <main style="height:100%;overflow-y:auto"><p style="width:2000px;height:60px;margin:0;background:green"></p>${ROWS}</main>
      </div><aside style="position:absolute;left:100%;top:0;width:300px;height:100%;background:red"></aside></div>`,
    "/small": `<body style="margin:0"><div style="width:200px;height:100px;overflow:auto">${ROWS}</div>`,
    "/box": `<body style="margin:0;height:1000px;background:green"><div style="position:absolute;left:30px;top:100px;width:100px;height:50px;background:red"></div>`,
    "/masked": `<style>div { position: absolute; transform: none; z-index: 2147483647 !important }</style>
      <body style="margin:0;height:1500px;transform:rotate(0deg)"><script>
        const add = (style, root = document.body) => root.appendChild(Object.assign(document.createElement("div"), { className: "x", style }));
        add("left:10px;top:10px;width:50px;height:50px;background:red");
        add("left:10px;top:1200px;width:50px;height:50px;background:red");
        add("left:100px;top:10px;width:50px;height:50px;background:red;visibility:hidden");
        add("left:200px;top:10px;width:50px;height:50px;display:none");
        const clip = document.body.appendChild(document.createElement("section"));
        clip.style.cssText = "position:absolute;left:300px;top:10px;width:100px;height:50px;overflow:hidden";
        add("left:50px;top:0;width:5000px;height:50px;background:red", clip);
        const host = document.body.appendChild(document.createElement("span"));
        const shadow = host.attachShadow({ mode: "open" });
        shadow.innerHTML = "<b class=x style='position:absolute;left:10px;top:100px;width:50px;height:50px;background:red'></b>";
        const dialog = document.body.appendChild(document.createElement("dialog"));
        dialog.style.cssText = "margin:0;left:10px;top:200px;border:0;padding:0;background:green;position:fixed";
        dialog.innerHTML = "<p class=x style='margin:0;width:50px;height:50px'></p>";
        dialog.showModal();
      </script><style>::backdrop { background: none } * { outline: 0 solid blue !important }</style>`,
    "/masked-scroller": `<div style="height:200px;overflow:auto"><div style="height:500px"></div>
      <p id=area class=x style="height:50px;margin:0;background:red"></p><div style="height:500px"></div></div>`,
    "/fragment": `<style>html { scroll-behavior: smooth }</style>${FRAGMENT}`,
    "/jump": FRAGMENT,
    "/leftward": `<!doctype html><html dir=rtl><body style="margin:0;background:green"><div style="width:2000px;height:1000px">
      <div id=box class=x style="position:absolute;left:-500px;top:100px;width:100px;height:50px;background:red"></div></div>`,
    "/zoomed-in": `<html style="zoom:1.5">${MOVED}<p style="height:2000px">`,
    "/zoomed-out": `<html style="zoom:0.5">${MOVED}<p style="height:2000px">`,
    "/boxless": `<!doctype html><style>body { margin: 0; font: 20px/20px monospace; color: red } p { margin: 0 0 20px } b { display: block; height: 20px; background: red }</style>
      <p class=x style="display:contents">text<b></b></p>
      <user-name class=x><template shadowrootmode=open><style>:host { display: contents }</style><slot></slot></template>text<b></b></user-name>
      <p class=x style="visibility:hidden">text<b style="visibility:visible"></b></p>
      <p class=x><b style="position:absolute;width:100px"></b></p>
      <p class=x style="height:0;overflow:hidden">text<b></b></p>
      <p class=x style="display:none">text</p>
      <p class=x style="display:contents;color:green"></p>`,
    "/generated": `<!doctype html><style>
        body { margin: 0 } p { margin: 0; height: 0 } p:last-of-type::before { position: absolute; left: 0; width: 100% }
        p::before, i::after { content: ""; display: block; height: 20px; background: red; visibility: visible; transition: all 60s }
      </style>
      <p class=x style="display:contents"><i style="display:contents"></i></p>
      <user-name class=x style="display:contents"><template shadowrootmode=open>
        <style>slot::before { content: ""; display: block; height: 20px; background: red }</style><slot></slot>
      </template></user-name>
      <p class=x style="height:20px;visibility:hidden"></p>
      <p class=x style="height:20px;width:20px"></p>
      <div style="height:20px;background:green"></div>`,
    "/overflowing": `<!doctype html><style>
        body { margin: 0; font: 20px/20px monospace; color: red } i { display: inline-block } b, i { width: 100px; height: 100px; background: red }
        b { display: block } .x { margin: 0 0 120px 120px } p.x { width: 20px; height: 20px }
      </style>
      <a class=x><i></i></a>
      <p class=x><span><b style="float:left"></b></span></p>
      <p class=x style="position:relative"><b style="position:absolute;top:10px;left:-100px"></b></p>
      <p class=x style="overflow:hidden"><span style="display:block;height:150px"><b style="position:absolute;margin:30px 0"></b></span></p>
      <user-card class=x style="display:block;height:20px"><template shadowrootmode=open>
        <style>b { display: block; width: 100px; height: 100px; background: red }</style><b></b>
      </template></user-card>
      <p class=x style="white-space:nowrap">long text</p>
      <div style="height:20px;overflow:hidden;margin-bottom:120px"><p class=x style="height:200px"><b style="position:absolute"></b></p></div>`,
    "/badge": `<!doctype html><style>
        i::after { content: ""; position: absolute; left: 300px; top: 0; width: 50px; height: 50px; background: red }
      </style><p class=x style="width:20px;height:20px"><i></i></p>`,
    "/clipped": `<body style="margin:0"><div class=x style="height:50px;overflow:auto"></div><script>
      document.querySelector("div").innerHTML = "<p style='height:20px;margin:0'>text</p>".repeat(5001);
    </script>`,
    "/transits": `<style>
        @view-transition { navigation: auto }
        ::view-transition-group(*), ::view-transition-old(*), ::view-transition-new(*) { animation-duration: 60s }
      </style>
      ${MOVED}<form name=activeViewTransition><a href="/transits?next">link</a></form>
      <script>const move = () => { document.querySelector("p").style.left = "300px" }</script>`,
    "/recolors": `<style>::view-transition-old(*), ::view-transition-new(*) { animation-duration: 60s }</style>
      <body style="margin:0"><main style="height:2000px;background:red"><p id=part style="position:absolute;top:1500px;width:300px;height:300px;margin:0"></p></main>
      <script>
        const recolor = () => { document.querySelector("main").style.background = "green" };
        const recolorLater = () => new Promise((resolve) => setTimeout(resolve, 200)).then(recolor);
      </script>`,
    "/shadow-root": `<body style="margin:0"><fieldset form=f name=shadowRoot style="border:0;margin:0;padding:0;background:green">
      <form id=f style="height:100px;background:red"></form></fieldset>`,
    "/removes": `${MOVED}<script>
      const remove = () => document.querySelectorAll("html > :not(head, body)").forEach((element) => element.remove());
      new MutationObserver(remove).observe(document.documentElement, { childList: true });
      setInterval(remove);
    </script>`,
    "/reopens": `<dialog style="width:300px;height:200px">${MOVED}</dialog><script>
      const dialog = document.querySelector("dialog");
      setInterval(() => { dialog.close(); dialog.showModal(); });
      dialog.showModal();
    </script>`,
    "/moves": `${MOVED}<script>
      let left = 0;
      const move = () => { left = (left + 7) % 500; document.querySelector("p").style.left = left + "px"; requestAnimationFrame(move); };
      move();
    </script>`,
    "/slides": `${MOVED}<style>p { animation: slide 1s linear infinite } @keyframes slide { to { left: 500px } }</style>`,
    "/crowded": `<body><script>document.body.innerHTML = "<i>x</i>".repeat(5001)</script>`,
    "/backdrop":
      "<body style='margin:0'><style>::backdrop { background: red !important }</style><p class=x>text",
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function png(path: string, options: object = {}): Promise<ReturnType<typeof readPng>> {
  return readPng((await renderer.render(screenshot(site.url(path), options))).bytes);
}

describe("expandScrollers", () => {
  it.each([
    ["a column", "/column"],
    ["fixed and absolute positions", "/absolute"],
    ["a grid", "/grid"],
    ["a shadow root", "/shadow"],
  ])("lays out an inner scroll container at its full height: %s", async (_title, path) => {
    const image = await png(path, { fullPage: true, expandScrollers: true });
    expect([image.width, image.height]).toEqual([1280, 3060]);
    expect([70, 2700, 2800, 3050].map((y) => image.pixel(600, y))).toEqual([RED, RED, GREEN, GREEN]);
    expect((await png(path, { fullPage: true })).height).toBe(800);
  });

  it("does not show what is cut off at the sides", async () => {
    const image = await png("/sideways", { fullPage: true, expandScrollers: true });
    expect([image.width, image.height]).toEqual([1280, 3060]);
    expect([599, 600, 725].map((x) => image.pixel(x, 25))).toEqual([GREEN, WHITE, GREEN]);
    expect(image.pixel(599, 3050)).toEqual(GREEN);
  });

  it("leaves small containers alone", async () => {
    expect((await png("/small", { fullPage: true, expandScrollers: true })).height).toBe(800);
  });

  it("prints the whole container", async () => {
    const paper = { marginUnit: "px", width: 1280, height: 800 };
    for (const [expandScrollers, pages] of [
      [false, 1],
      [true, 4],
    ] as const) {
      const { bytes } = await renderer.render(pdf(site.url("/column"), { ...paper, expandScrollers }));
      expect((await PDFDocument.load(bytes)).getPageCount()).toBe(pages);
    }
  });
});

describe("fullPage", () => {
  it.each([{}, { javascript: false }, { lazyContent: "off" }])(
    "draws fixed elements at the top, whatever the URL's fragment: %j",
    async (options) => {
      const image = await png("/fragment#last", { fullPage: true, ...options });
      expect([image.width, image.height]).toEqual([1280, 5000]);
      expect([25, 75, 3025, 4999].map((y) => image.pixel(600, y))).toEqual([RED, WHITE, GREEN, GREEN]);
      const masked = await png("/fragment#last", { fullPage: true, mask: ".x", ...options });
      expect([25, 75, 3025].map((y) => masked.pixel(600, y))).toEqual([MASK_COLOR, WHITE, GREEN]);
    },
  );
});

describe("a part of a page whose URL has a fragment", () => {
  it.each([
    { selector: "#last" },
    { selector: "#last", mask: ".x" },
    { selector: "#last", javascript: false },
    { ...CLIP, clipY: 3000 },
  ])("does not show the fixed elements at the page's top: %j", async (part) => {
    const { pixel } = await png("/jump#last", part);
    expect([pixel(150, 25), pixel(150, 75)]).toEqual([GREEN, GREEN]);
  });

  it("shows fixed elements if it contains the page's top, and masks them there", async () => {
    for (const options of [{}, { mask: ".x" }] as const) {
      const { pixel } = await png("/jump#last", { ...CLIP, ...options });
      expect([pixel(150, 25), pixel(150, 75)]).toEqual(["mask" in options ? MASK_COLOR : RED, WHITE]);
    }
  });

  it("is scrolled to the fragment if it is the viewport", async () => {
    const { pixel } = await png("/jump#last");
    expect([pixel(150, 25), pixel(150, 75)]).toEqual([RED, GREEN]);
  });
});

describe("fullPageMaxHeight", () => {
  it.each([
    [400, 400, ["height-capped"]],
    [1000, 1000, []],
    [2000, 1000, []],
  ])("crops a page of 1,000 px to at most %i px", async (fullPageMaxHeight, height, notes) => {
    const file = await renderer.render(screenshot(site.url("/box"), { fullPage: true, fullPageMaxHeight }));
    expect(readPng(file.bytes).height).toBe(height);
    expect(file.notes).toEqual(notes);
  });
});

describe("padding", () => {
  it("captures the area around the element, up to the edges of the page", async () => {
    const image = await png("/box", { selector: "div", padding: 50 });
    expect([image.width, image.height]).toEqual([30 + 100 + 50, 50 + 50 + 50]);
    expect([image.pixel(29, 75), image.pixel(30, 50), image.pixel(129, 99), image.pixel(130, 99)]).toEqual([
      GREEN,
      RED,
      RED,
      GREEN,
    ]);
  });
});

describe("a page that continues to the left", () => {
  it("has the same coordinates in every capture", async () => {
    const image = await png("/leftward", { fullPage: true });
    // the box is 500 px left of the viewport, which is at the right end of the page
    expect([image.width, image.pixel(219, 125), image.pixel(220, 125)]).toEqual([2000, GREEN, RED]);
    const box = { clipX: 220, clipY: 100, clipWidth: 100, clipHeight: 50 };
    for (const part of [box, { selector: "#box" }, { selector: "#box", script: "scrollBy(-90, 0)" }]) {
      const [shown, masked] = [await png("/leftward", part), await png("/leftward", { ...part, mask: ".x" })];
      expect([shown.pixel(0, 0), shown.pixel(99, 49)]).toEqual([RED, RED]);
      expect([masked.pixel(0, 0), masked.pixel(99, 49)]).toEqual([MASK_COLOR, MASK_COLOR]);
    }
    const padded = await png("/leftward", { selector: "#box", padding: 10 });
    expect([padded.width, padded.pixel(9, 20), padded.pixel(10, 20)]).toEqual([120, GREEN, RED]);
  });
});

it.each([
  [{}, RED],
  [{ mask: "form" }, MASK_COLOR],
  [{ hideSelectors: "form" }, GREEN],
])("a form with a control named `shadowRoot` is not taken for a shadow host: %j", async (options, color) => {
  expect((await png("/shadow-root", options)).pixel(50, 50)).toEqual(color);
});

describe("a view transition", () => {
  const AREAS = [
    {},
    { fullPage: true },
    { fullPage: true, lazyContent: "off" },
    { selector: "#part" },
    { ...CLIP, clipY: 1500 },
  ];

  it.each(AREAS)("ends before the capture: %j", async (area) => {
    const script = "await document.startViewTransition(recolor).ready";
    const { width, height, pixel } = await png("/recolors", { script, ...area });
    expect([pixel(0, 0), pixel(width - 1, height - 1)]).toEqual([GREEN, GREEN]);
  });

  it.each([{}, { mask: "#part" }])("ends after it has changed the page: %j", async (options) => {
    const script = "document.startViewTransition(recolorLater)";
    expect((await png("/recolors", { script, ...CLIP, ...options })).pixel(0, 0)).toEqual(GREEN);
  });

  it("ends before the capture, and so does one that it starts", async () => {
    const script =
      "document.startViewTransition(() => {}).finished.then(() => document.startViewTransition(recolor))";
    expect((await png("/recolors", { script, ...CLIP })).pixel(0, 0)).toEqual(GREEN);
  });

  it("that never changes the page does not prevent the capture", async () => {
    const script = "document.startViewTransition(() => new Promise(() => {}))";
    expect((await png("/recolors", { script, ...CLIP })).pixel(0, 0)).toEqual(RED);
  });
});

describe("mask", () => {
  it("covers every visible match with a box, and changes nothing else", async () => {
    const options = { fullPage: true, mask: ".x" };
    const [image, unmasked] = [await png("/masked", options), await png("/masked", { fullPage: true })];
    expect([image.width, image.height]).toEqual([unmasked.width, unmasked.height]);
    const covered = [
      [10, 10],
      [59, 59],
      [30, 1225],
      [350, 30],
      [399, 59],
      [30, 125],
      [30, 225],
    ] as const;
    for (const [x, y] of covered) expect([x, y, image.pixel(x, y)]).toEqual([x, y, MASK_COLOR]);
    const free = [
      [60, 60],
      [9, 9],
      [125, 30],
      [225, 30],
      [400, 30],
      [349, 30],
      [60, 125],
    ] as const;
    for (const [x, y] of free) expect([x, y, image.pixel(x, y)]).toEqual([x, y, unmasked.pixel(x, y)]);
  });

  it("covers matches within the captured element, in the color of maskColor", async () => {
    const image = await png("/masked", { selector: "section", mask: ".x", maskColor: "black" });
    expect([image.width, image.height]).toEqual([100, 50]);
    expect([image.pixel(49, 25), image.pixel(50, 25), image.pixel(99, 49)]).toEqual([WHITE, BLACK, BLACK]);
  });

  it.each([
    ["/zoomed-in", 1.5],
    ["/zoomed-out", 0.5],
  ])("covers matches exactly if the page is zoomed: %s", async (path, zoom) => {
    const { pixel } = await png(path, { mask: ".x", script: "scrollTo(0, 20)", ...CLIP });
    const [right, top, bottom] = [100 * zoom, 50 * zoom, 100 * zoom];
    expect([pixel(0, top), pixel(right - 1, bottom - 1)]).toEqual([MASK_COLOR, MASK_COLOR]);
    expect([pixel(0, top - 1), pixel(right, top), pixel(0, bottom)]).toEqual([WHITE, WHITE, WHITE]);
  });

  it("covers the visible content of matches without a visible box", async () => {
    const { pixel } = await png("/boxless", { mask: ".x" });
    const rows = Array.from({ length: 12 }, (_, row) => pixel(20, row * 20 + 10));
    const [shown, hidden] = [MASK_COLOR, WHITE];
    expect(rows.slice(0, 4)).toEqual([shown, shown, shown, shown]);
    expect(rows.slice(4, 8)).toEqual([hidden, shown, hidden, shown]);
    expect(rows.slice(8)).toEqual([hidden, hidden, hidden, hidden]);
  });

  it("covers content that is outside the box of its match, and nothing else", async () => {
    const [plain, masked] = [await png("/overflowing"), await png("/overflowing", { mask: ".x" })];
    const points = Array.from(
      { length: 400 * plain.height },
      (_, i) => [i % 400, Math.floor(i / 400)] as const,
    );
    const shown = points.filter(([x, y]) => String(plain.pixel(x, y)) !== String(WHITE));
    expect(shown.length).toBeGreaterThan(50_000);
    expect(shown.filter(([x, y]) => String(masked.pixel(x, y)) !== String(MASK_COLOR))).toEqual([]);
    expect([masked.pixel(60, 50), masked.pixel(350, 700)]).toEqual([WHITE, WHITE]);
  });

  it("hides the generated content of elements in a match", async () => {
    expect((await png("/badge")).pixel(325, 25)).toEqual(RED);
    expect((await png("/badge", { mask: ".x" })).pixel(325, 25)).toEqual(WHITE);
  });

  it("does not count clipped content toward the limit of 5,000 elements", async () => {
    const { pixel } = await png("/clipped", { mask: ".x" });
    expect([pixel(600, 49), pixel(600, 51)]).toEqual([MASK_COLOR, WHITE]);
  });

  it("hides the generated content of matches without changing the layout", async () => {
    const rowsOf = ({ pixel }: ReturnType<typeof readPng>): number[][] =>
      Array.from({ length: 6 }, (_, row) => pixel(700, row * 20 + 10));
    expect(rowsOf(await png("/generated"))).toEqual([RED, RED, RED, RED, RED, GREEN]);
    const masked = await png("/generated", { mask: ".x" });
    expect(rowsOf(masked)).toEqual([WHITE, WHITE, WHITE, WHITE, WHITE, GREEN]);
  });

  it.each([
    ["/removes", {}],
    ["/reopens", {}],
    ["/moves", {}],
    ["/slides", {}],
    ["/transits", { script: "await document.startViewTransition(move).ready" }],
    ["/transits", { script: "await document.body.startViewTransition(move).ready" }],
    ["/transits", { click: "a" }],
  ])("covers matches whatever the page does meanwhile: %s %j", async (path, options) => {
    const { width, height, pixel } = await png(path, { mask: ".x", ...options });
    const columns = Array.from({ length: width / 5 }, (_, index) => index * 5);
    const points = columns.flatMap((x) =>
      Array.from({ length: height / 5 }, (_, index) => [x, index * 5] as const),
    );
    const colors = new Set(points.map(([x, y]) => String(pixel(x, y))));
    expect(colors).toContain(String(MASK_COLOR));
    expect(colors).not.toContain(String(RED));
  });

  it("accepts colors in formats that the browser supports", async () => {
    const colors = [
      "#f0f",
      "#f0f8",
      "#ff00ff",
      "#ff00ff80",
      "transparent",
      "rgb(255, 0, 255)",
      "rgba(100%, 0%, 100%, .5)",
      "rgb(255 0% none / 50%)",
      "hsl(300, 100%, 50%)",
      "hsla(0.8turn 100% 50% / 0.5)",
      "hwb(300deg 0% 0%)",
      "lab(60% 90 -60)",
      "oklab(0.7 0.2 -0.1 / none)",
      "lch(60% 110 330)",
      "oklch(70% 0.3 330deg)",
      "color(display-p3 1 0 1)",
      "color(srgb-linear 100% 0 1 / 50%)",
      "color(xyz-d50 0.5 0.2 0.9)",
    ];
    for (const maskColor of colors) screenshot(site.url("/box"), { mask: "b", maskColor });
    const script = `
      const unknown = ${JSON.stringify(colors)}.filter((color) => !CSS.supports("color", color));
      if (unknown.length > 0) throw unknown.join("; ");`;
    const rendered = renderer.render(screenshot(site.url("/box"), { script }));
    await expect(rendered).resolves.toMatchObject({ contentType: "image/png" });
  });

  it("fails rather than covering only some of the matches", async () => {
    const error = await errorOf(renderer.render(screenshot(site.url("/crowded"), { mask: "i" })));
    expect(error).toMatchObject({
      code: "render_failed",
      message:
        "The mask selector i matches more than 5000 visible elements. Mask an element that contains them.",
      notes: ["capture-too-large"],
    });
  });

  it("covers a captured element that its container must scroll into view", async () => {
    const image = await png("/masked-scroller", { selector: "#area", mask: ".x" });
    expect([image.pixel(0, 0), image.pixel(image.width - 1, 49)]).toEqual([MASK_COLOR, MASK_COLOR]);
  });

  it("works without JavaScript, and does not show the page's backdrop", async () => {
    const image = await png("/backdrop", { mask: ".x", javascript: false });
    expect([image.pixel(5, 9), image.pixel(600, 600)]).toEqual([MASK_COLOR, WHITE]);
  });

  it("fails with render_failed if the selector is not valid CSS", async () => {
    expect(await errorOf(renderer.render(screenshot(site.url("/box"), { mask: "b[" })))).toMatchObject({
      code: "render_failed",
      message: "The selector b[ is not valid CSS.",
    });
  });
});
