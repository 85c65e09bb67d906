// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPdf, type PdfPage } from "./read-pdf.ts";
import { errorOf, openRenderer, pdf, required } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const HTML = "<!doctype html><body style='margin:0;font:12pt/16px sans-serif'>";
const tall = (height: number): string => `${HTML}<div style="height:${height}px;background:red"></div>`;

/** Requests page breaks in several ways. */
const BREAKS = `${HTML}<style>
  @page { size: a5 landscape; margin: 3cm } @page wide { size: 8in 3in }
  h2 { break-before: page } p { page-break-after: always !important } b { page: wide; display: block }
</style><h2>a</h2><p>b</p><p style="BREAK-AFTER: PAGE !important">c</p><b>d</b><script>
  const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  root.innerHTML = "<style>i { display: block; break-before: page }</style><i>e</i>";
</script>last`;

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/1": tall(1),
    "/799": tall(799),
    "/800": tall(800),
    "/801": tall(801),
    "/5000": tall(5000),
    "/20000": tall(20_000),
    "/lines": HTML + "<div>line</div>".repeat(99) + "<div>last</div>",
    "/breaks": BREAKS,
    "/viewport": `${HTML}<style>html, body { height: 100% }</style><main style="height:100%">a</main>
      <section style="min-height:100vh;transition:all 60s">b</section><section style="height:calc(50vh - 10px)">c</section>last`,
    "/short-viewport": `${HTML}<div style="height:50vh">a</div>last`,
    "/fixed": `${HTML}<div style="position:fixed;bottom:0">bottom</div><div style="height:2000px">a</div>last`,
    "/fractions": `${HTML}<div style="height:1480.25px;background:red"></div>`,
    "/important": `${HTML}<style>
      @page { size: a5 !important; margin: 3cm !important; page-orientation: rotate-left }
      @media print { @layer page { @page :first { margin: 5cm !important; size: landscape !important } } }
      </style><div style="height:1500px">a</div>last`,
    "/closed": `${HTML}<style>.tall { height: 3000px }</style><div>line</div><div>last</div>
      <details><summary>more</summary><div class=tall></div></details><div hidden=until-found><div class=tall></div></div>
      <section style="content-visibility:hidden"><div class=tall></div></section>`,
    "/growing": `${HTML}<script>
      const add = () => document.body.append(Object.assign(document.createElement("div"), { textContent: "more" }));
      addEventListener("load", () => { for (let index = 0; index < 100; index += 1) setTimeout(add, index * 10); });
      addEventListener("beforeprint", () => { if (!self.last) document.body.append(self.last = "last"); });
    </script>`,
    "/opened-for-print": `${HTML}<details><summary>more</summary><div style="height:2000px"></div>last</details><script>
      const [details] = document.getElementsByTagName("details");
      addEventListener("beforeprint", () => { details.open = true; });
      addEventListener("afterprint", () => { details.open = false; });
    </script>`,
    "/quirks": "<h1>Receipt</h1>",
    "/standards": "<!doctype html><h1>Receipt</h1>",
    "/quirks-filled": "<body style='margin:0;height:100%'>a",
    "/only-fixed": `${HTML}<div style="position:fixed;inset:0;display:grid;place-items:center"><h1>Certificate</h1></div>`,
    "/shadow-absolute": `${HTML}<x-app><template shadowrootmode=open>
      <div style="position:absolute;top:0;height:500px">a</div></template></x-app>`,
    "/shadow-fixed": `${HTML}<x-app><template shadowrootmode=open><div style="position:fixed;inset:0">a</div></template></x-app>`,
    "/empty": HTML,
    "/hidden": `${HTML}<style>body { display: none }</style>x`,
    "/wide": HTML + "<div style='width:1000px'>wide</div>" + "<div>line</div>".repeat(99) + "last",
    "/wide-to-the-left":
      HTML.replace("<body", "<html dir=rtl><body") +
      "<div style='width:1000px'>wide</div>" +
      "<div>line</div>".repeat(99) +
      "last",
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

/** Prints a path to a PDF with a single page, and returns that page. */
async function print(path: string, options: object = {}): Promise<PdfPage> {
  const { bytes } = await renderer.render(pdf(site.url(path), { singlePage: true, ...options }));
  const { pages } = await readPdf(bytes);
  expect(pages).toHaveLength(1);
  return required(pages[0], "page");
}

/** Returns how far below the last line the page ends, in points. */
function spaceBelow({ height, textItems }: PdfPage): number {
  const last = textItems.findLast(({ text }) => text.endsWith("last"));
  return height - required(last, "last line").y;
}

describe.concurrent("a single page", () => {
  it.each([
    [1, 0.75],
    [799, 599.25],
    [800, 600],
    [801, 600.75],
    [5000, 3750],
  ])("is as long as content of %d px", async (height, points) => {
    const page = await print(`/${height}`);
    expect(page.width).toBeCloseTo(595.92, 1);
    expect(page.height).toBeGreaterThanOrEqual(points);
    expect(page.height).toBeLessThan(points + 1);
  });

  it("is less than two pixels longer than content with a fractional height", async () => {
    const { height } = await print("/fractions");
    expect(height).toBeGreaterThanOrEqual(1480.25 * 0.75);
    expect(height).toBeLessThan(1482.25 * 0.75);
  });

  it("does not include content that is not shown", async () => {
    const page = await print("/closed");
    expect(page.textItems.map(({ text }) => text)).toContain("more");
    expect(page.height).toBeLessThan(60);
  });

  it("includes the margins, a header and a footer, at any scale", async () => {
    const margins = { marginUnit: "in", marginTop: 1, marginRight: 1, marginBottom: 2, marginLeft: 1 };
    const headerHtml = "<b class=pageNumber></b> of <b class=totalPages></b>";
    const page = await print("/lines", { ...margins, headerHtml, scale: 0.5, paperFormat: "letter" });
    expect(page.width).toBe(612);
    expect(page.height).toBeGreaterThanOrEqual(3 * 72 + 600);
    expect(page.height).toBeLessThan(3 * 72 + 602);
    expect(page.textItems.map(({ text }) => text).join("")).toMatch(/1\s*of\s*1/);
    expect(spaceBelow(page)).toBeLessThan(2 * 72 + 8);
  });

  it("has no page breaks, and ignores @page", async () => {
    const page = await print("/breaks");
    expect(page.width).toBeCloseTo(595.92, 1);
    expect(page.textItems.map(({ text }) => text)).toEqual(["a", "b", "c", "d", "e", "last"]);
    expect(spaceBelow(page)).toBeLessThan(8);
    const important = await print("/important");
    expect(important.width).toBeCloseTo(595.92, 1);
    expect(important.height).toBeCloseTo(1137, -1);
  });

  it("resolves viewport lengths against the paper's height", async () => {
    const page = await print("/viewport");
    // 2.5 sheets and one line
    expect(page.height).toBeGreaterThan(2.5 * 840);
    expect(page.height).toBeLessThan(2.5 * 842 + 16);
    expect(spaceBelow(page)).toBeLessThan(8);
    const short = await print("/short-viewport");
    // half a sheet and one line
    expect(short.height).toBeCloseTo(421 + 12, -1);
    expect(spaceBelow(short)).toBeLessThan(8);
  });

  it("has fixed elements at its edges", async () => {
    const page = await print("/fixed");
    expect(page.height).toBeCloseTo(1512, -1);
    const bottom = page.textItems.find(({ text }) => text === "bottom");
    expect(page.height - required(bottom, "fixed element").y).toBeLessThan(8);
  });

  it("is as long as out-of-flow content in a shadow root", async () => {
    expect((await print("/shadow-absolute")).height).toBeCloseTo(375, -1);
    expect((await print("/shadow-fixed")).height).toBeCloseTo(841.92, 1);
  });

  it("is as long as its content even without a doctype", async () => {
    for (const path of ["/standards", "/quirks"]) {
      const { height, textItems } = await print(path);
      expect(height).toBeLessThan(61);
      expect(textItems.map(({ text }) => text)).toEqual(["Receipt"]);
    }
    expect((await print("/quirks-filled")).height).toBeCloseTo(841.92, 1);
  });

  it("is one sheet long if only fixed elements are visible", async () => {
    const page = await print("/only-fixed");
    expect(page.height).toBeCloseTo(841.92, 1);
    expect(page.textItems.map(({ text }) => text)).toEqual(["Certificate"]);
  });

  it.each(["/empty", "/hidden"])("is as short as possible if nothing is shown: %s", async (path) => {
    expect((await print(path)).height).toBeLessThan(3);
  });

  it("includes content that is added late, even while printing", async () => {
    expect(spaceBelow(await print("/growing"))).toBeLessThan(60);
    const opened = await print("/opened-for-print");
    expect(opened.height).toBeGreaterThan(1500);
    expect(spaceBelow(opened)).toBeLessThan(8);
  });

  it("shrinks content that is too wide, as other pages do", async () => {
    const page = await print("/wide");
    expect(page.textItems.find(({ text }) => text === "wide")?.fontSize).toBeCloseTo((12 * 794.56) / 1000, 1);
    expect(spaceBelow(page)).toBeLessThan(8);
  });

  it("keeps the size of right-to-left content that is too wide, as other pages do", async () => {
    const page = await print("/wide-to-the-left");
    expect(page.textItems.find(({ text }) => text === "line")?.fontSize).toBeCloseTo(12, 1);
    expect(spaceBelow(page)).toBeLessThan(8);
  });

  it("has the document information", async () => {
    const { bytes } = await renderer.render(
      pdf(site.url("/lines"), { singlePage: true, outline: true, pdfTitle: "A receipt" }),
    );
    expect((await readPdf(bytes)).information).toMatchObject({ Title: "A receipt" });
  });

  it("is at most 200 in long", async () => {
    const error = await errorOf(renderer.render(pdf(site.url("/20000"), { singlePage: true })));
    expect(error).toMatchObject({ code: "render_failed", notes: ["capture-too-large"] });
    expect(error.message).toContain("15,000 pt long; a PDF page can be at most 14,400 pt (200 in) long");
    const page = await print("/20000", { scale: 0.9 });
    expect(page.height).toBeCloseTo(13_500, -1);
  });
});
