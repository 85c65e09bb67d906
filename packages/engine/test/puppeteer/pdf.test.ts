// @module-tag browser

import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { openRenderer, pdf, required } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/": "<h1>one page</h1>",
    "/five": "<style>p { break-after: page }</style>" + "<p>a page</p>".repeat(4) + "<p>the last",
    "/tall": "<body style='margin:0'><div style='height:10in;background:red'>",
    "/status": (_request, response) => response.writeHead(404, { "content-type": "text/html" }).end("gone"),
    "/css-size": "<style>@page { size: a5; margin: 3in }</style>",
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function print(path: string, options: object = {}): Promise<{ pages: number; size: [number, number] }> {
  const file = await renderer.render(pdf(site.url(path), options));
  expect(file.contentType).toBe("application/pdf");
  const pages = (await PDFDocument.load(file.bytes)).getPages();
  const { width, height } = required(pages[0], "page").getSize();
  return { pages: pages.length, size: [width, height] };
}

/** Returns how far the paper of a PDF is from the requested size, in points; Chromium rounds up by less than one. */
async function deviation(options: object, [width, height]: [number, number]): Promise<number> {
  const { size } = await print("/", options);
  return Math.max(Math.abs(size[0] - width), Math.abs(size[1] - height));
}

describe.concurrent("paper", () => {
  it("is a4 by default", async () => {
    expect(await deviation({}, [595.28, 841.89])).toBeLessThan(1);
  });

  it.each<[string, [number, number]]>([
    ["letter", [612, 792]],
    ["legal", [612, 1008]],
    ["tabloid", [792, 1224]],
    ["ledger", [1224, 792]],
    ["a0", [2383.94, 3370.39]],
    ["a1", [1683.78, 2383.94]],
    ["a2", [1190.55, 1683.78]],
    ["a3", [841.89, 1190.55]],
    ["a4", [595.28, 841.89]],
    ["a5", [419.53, 595.28]],
    ["a6", [297.64, 419.53]],
  ])("has the size of %s", async (paperFormat, points) => {
    expect(await deviation({ paperFormat }, points)).toBeLessThan(1);
  });

  it.each<[string, number, number, [number, number]]>([
    ["in", 4, 6.5, [288, 468]],
    ["mm", 100, 150, [283.46, 425.2]],
    ["cm", 10, 15.5, [283.46, 439.37]],
    ["px", 960, 480, [720, 360]],
  ])("has a custom size in %s", async (marginUnit, width, height, points) => {
    expect(await deviation({ marginUnit, width, height }, points)).toBeLessThan(1);
  });

  it("is rotated by landscape, including a custom size", async () => {
    expect(await deviation({ landscape: true }, [841.89, 595.28])).toBeLessThan(1);
    expect(await deviation({ landscape: true, paperFormat: "ledger" }, [792, 1224])).toBeLessThan(1);
    expect(
      await deviation({ landscape: true, marginUnit: "in", width: 4, height: 6 }, [432, 288]),
    ).toBeLessThan(1);
  });

  it("ignores the page's @page size", async () => {
    const { size } = await print("/css-size", { paperFormat: "letter" });
    expect(size).toEqual([612, 792]);
  });
});

describe.concurrent("pages", () => {
  it("follow the page breaks of the document", async () => {
    expect((await print("/five")).pages).toBe(5);
  });

  // the page is 10 inches tall, and there is no margin by default
  it.each<[string, object, number]>([
    ["paper of 10 in", { marginUnit: "in", width: 5, height: 10 }, 1],
    ["margins in inches", { marginUnit: "in", width: 5, height: 10, marginTop: 1, marginBottom: 1 }, 2],
    ["margins in px", { marginUnit: "px", width: 480, height: 960, marginTop: 96, marginBottom: 96 }, 2],
    ["margins in cm", { marginUnit: "cm", width: 12, height: 25.5, marginTop: 2.54, marginBottom: 2.54 }, 2],
    ["margins in mm", { marginUnit: "mm", width: 120, height: 255, marginTop: 25.4, marginBottom: 25.4 }, 2],
    ["a scale of 0.5", { marginUnit: "in", width: 5, height: 5, scale: 0.5 }, 1],
    ["a scale of 2", { marginUnit: "in", width: 5, height: 10, scale: 2 }, 2],
  ])("are added until the content fits: %s", async (_name, options, pages) => {
    const sides = "marginTop" in options ? { marginLeft: 0, marginRight: 0 } : {};
    expect((await print("/tall", { ...options, ...sides })).pages).toBe(pages);
  });
});

it("returns no target status for a PDF", async () => {
  expect((await renderer.render(pdf(site.url("/status")))).targetStatus).toBeNull();
});
