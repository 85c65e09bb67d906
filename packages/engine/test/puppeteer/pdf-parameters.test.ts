// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPdf, type PdfContent, type PdfText } from "./read-pdf.ts";
import { errorOf, openRenderer, pdf, required } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const REPORT = `<!doctype html><html lang="en"><title>The report</title>
<style>body { margin: 0; font: 12pt sans-serif; background: yellow } h2 { break-before: page }</style>
<h1>Summary</h1><p>first<h2>Figures</h2><p>second<table><tr><th>Sum<td>7</table><h2>Outlook</h2><p>third`;

/** Each image shows its name. In print, all but `screen` are visible. */
const PRINT_ONLY = `<!doctype html>
<style>div { height: 50px } @media print { div { background: url(/image?background) no-repeat } }
  @media screen { .print { display: none } }</style>
<div></div><img class=print loading=lazy src=/image?lazy>
<picture><source media=print srcset=/image?print><img src=/image?screen></picture>`;

/** One inch each, except the left margin. */
const MARGINS = { marginUnit: "in", marginTop: 1, marginRight: 1, marginBottom: 1, marginLeft: 2 };

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/report": REPORT,
    "/print-only": PRINT_ONLY,
    "/image": ({ url = "" }, response) =>
      void setTimeout(() => {
        response.setHeader("content-type", "image/svg+xml");
        response.end(
          `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50"><text y="20">${url.split("?")[1]}</text></svg>`,
        );
      }, 300),
    "/css-size":
      "<!doctype html><style>@page { size: 5in 3in } @page wide { size: 8in 4in } p { page: wide }</style>narrow<p>wide",
    "/hostile": `<!doctype html><html lang="en) /Pages 1 0 R (\\"><title>) >> /Root 1 0 R endobj (\\ \u{1f600}</title>x`,
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function print(path: string, options: object = {}): Promise<PdfContent> {
  return readPdf((await renderer.render(pdf(site.url(path), options))).bytes);
}

function textIn({ pages }: PdfContent, page: number): string[] {
  return required(pages[page], "page").textItems.map(({ text }) => text);
}

function find({ pages }: PdfContent, page: number, text: string): PdfText {
  const found = required(pages[page], "page").textItems.find((candidate) => candidate.text.includes(text));
  return required(found, `text ${text}`);
}

describe.concurrent("style sheets", () => {
  it.each([
    {},
    { lazyContent: "off" },
    { singlePage: true },
    { colorScheme: "dark" },
    { mediaType: "print" },
  ])("apply as in print, with everything that they load: %j", async (options) => {
    const texts = textIn(await print("/print-only", options), 0);
    expect(texts.toSorted()).toEqual(["background", "lazy", "print"]);
  });

  it("apply as on the screen with mediaType=screen", async () => {
    expect(textIn(await print("/print-only", { mediaType: "screen" }), 0)).toEqual(["screen"]);
  });
});

describe("headers and footers", () => {
  it("are in the margins of each page, readable by default", async () => {
    const file = await print("/report", {
      ...MARGINS,
      scale: 0.5,
      headerHtml: "<span class=title></span> of <span class=url></span> <b class=date></b>",
      footerHtml:
        "<span class=pageNumber></span> / <span class=totalPages></span> <i style='font-size: 18pt'>big</i>",
    });
    expect(file.pages).toHaveLength(3);
    const header = find(file, 1, "The report of");
    expect(header.fontSize).toBeCloseTo(9, 1);
    expect(header.x).toBeCloseTo(144, 0);
    expect(header.y).toBeGreaterThan(30);
    expect(header.y).toBeLessThan(48);
    const footer = find(file, 1, "2 / 3");
    expect(footer.x).toBeCloseTo(144, 0);
    expect(841.92 - footer.y).toBeGreaterThan(24);
    expect(841.92 - footer.y).toBeLessThan(48);
    expect(find(file, 1, "big").fontSize).toBeCloseTo(18, 1);
    expect(textIn(file, 2).join("")).toContain("3 / 3");
    expect(textIn(file, 0).join("")).toContain(site.url("/report"));
    expect(textIn(file, 0).join("")).toMatch(/\d+\/\d+\/\d+/);
    const content = find(file, 1, "second");
    expect(content.x).toBeCloseTo(144, 0);
    expect(content.fontSize).toBeCloseTo(6, 1);
  });

  it("stay on the paper if they are taller than their margins", async () => {
    const lines = Array.from(
      { length: 9 },
      (_, index) => `<div style="font-size:15pt">line ${index}</div>`,
    ).join("");
    const file = await print("/report", {
      ...MARGINS,
      headerHtml: `${lines}<i>above</i>`,
      footerHtml: `<b>below</b>${lines}`,
    });
    const [first, last] = [
      find(file, 1, "line 0"),
      required(required(file.pages[1], "page").textItems.at(-1), "last line"),
    ];
    expect(first.y).toBeGreaterThan(12);
    expect(find(file, 1, "above").y).toBeGreaterThan(140);
    expect(last.text).toBe("line 8");
    expect(last.y).toBeLessThan(841);
    expect(find(file, 1, "below").y).toBeLessThan(700);
  });

  it("leave the other margin empty if only one is sent, and do not run scripts", async () => {
    const headerHtml = `head <img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='40' height='10'%3E%3Ctext y='9' font-size='9'%3Elogo%3C/text%3E%3C/svg%3E" onload="this.after('RAN')"><img src="data:image/png;base64,AAAA" onerror="this.after('RAN')"><svg onload="this.after('RAN')"></svg>`;
    const file = await print("/report", { ...MARGINS, headerHtml, pageRanges: "2" });
    expect(textIn(file, 0)).toEqual(["Figures", "second", "Sum", "7", "head", "logo"]);
  });
});

describe("pageRanges", () => {
  it("prints the given pages, numbered as in the whole document", async () => {
    const file = await print("/report", {
      ...MARGINS,
      pageRanges: "3-,1",
      footerHtml: "<b class=pageNumber></b>/<b class=totalPages></b>",
    });
    expect(file.pages).toHaveLength(2);
    expect(textIn(file, 0)).toContain("Summary");
    expect(textIn(file, 1).join(" ")).toContain("Outlook");
    expect(textIn(file, 1).join("")).toContain("3/3");
  });

  it("can include pages beyond the last one, but must include at least one that exists", async () => {
    expect((await print("/report", { pageRanges: "3-99" })).pages).toHaveLength(1);
    expect((await print("/report", { pageRanges: "1,8" })).pages).toHaveLength(1);
    const error = await errorOf(renderer.render(pdf(site.url("/report"), { pageRanges: "4-" })));
    expect(error).toMatchObject({ code: "render_failed", notes: ["pages-unmatched"] });
    expect(error.message).toContain("has none of the pages in pageRanges");
  });
});

it("cssPageSize allows the page to choose its paper", async () => {
  const { pages } = await print("/css-size", { cssPageSize: true });
  expect(pages.map(({ width, height }) => [width, height])).toEqual([
    [360, 216],
    [576, 288],
  ]);
  const { pages: report } = await print("/report", {
    cssPageSize: true,
    paperFormat: "letter",
    pageRanges: "1",
  });
  expect(report).toMatchObject([{ width: 612, height: 792 }]);
});

it("printBackground=false leaves out backgrounds", async () => {
  const files = [{}, { printBackground: false }].map(async (options) => {
    const { bytes } = await renderer.render(pdf(site.url("/report"), { pageRanges: "1", ...options }));
    return bytes.length;
  });
  const [withBackground, without] = await Promise.all(files);
  expect(required(without, "size")).toBeLessThan(required(withBackground, "size"));
});

describe("outline, tagged and the document information", () => {
  it("can be combined in one file", async () => {
    const keywords = "a, (b), \\c, <d>";
    const { outline, pages, information } = await print("/report", {
      outline: true,
      tagged: true,
      pdfTitle: "Übersicht (2026) \\ 漢字 😀",
      pdfAuthor: "Example Ltd.",
      pdfSubject: ") >> endobj \n\u0000 trailer",
      pdfKeywords: keywords,
    });
    expect(outline).toEqual([
      {
        title: "Summary",
        children: [
          { title: "Figures", children: [] },
          { title: "Outlook", children: [] },
        ],
      },
    ]);
    expect(pages[0]?.roles).toContain("H1");
    expect(pages[1]?.roles).toEqual(expect.arrayContaining(["H2", "P", "Table", "TR", "TH", "TD"]));
    expect(information).toMatchObject({
      Title: "Übersicht (2026) \\ 漢字 😀",
      Author: "Example Ltd.",
      Subject: ") >> endobj \n\u0000 trailer",
      Keywords: keywords,
      Creator: "Chromium",
    });
  });

  it("keep the page's title, whatever it contains, if pdfTitle is not sent", async () => {
    const { information, pages } = await print("/hostile", { pdfAuthor: "Ada" });
    expect(information).toMatchObject({
      Title: ") >> /Root 1 0 R endobj (\\ \u{1f600}",
      Author: "Ada",
    });
    expect(pages).toHaveLength(1);
  });

  it("count toward the maximum size of a rendering", async () => {
    const request = pdf(site.url("/report"), { pdfTitle: "x".repeat(500) });
    const { bytes } = await renderer.render(request);
    const small = openRenderer([site.port], { maxRenderingBytes: bytes.length - 100 });
    const error = await errorOf(small.render(request));
    await small.close();
    expect(error).toMatchObject({ code: "render_failed", notes: ["capture-too-large"] });
  });
});
