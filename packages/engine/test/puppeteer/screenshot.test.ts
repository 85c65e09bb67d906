// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readJpegSize, readPng, readWebpSize } from "./image.ts";
import { documentOf } from "./served-document.ts";
import { errorOf, openRenderer, screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const BLUE = [0, 0, 255, 255];
const WHITE = [255, 255, 255, 255];

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/fractional": `<body style="margin:0"><style>p { position: absolute; margin: 0; background: red }</style>
      <p id=box style="left:10.25px;top:10.25px;width:80px;height:40px"></p>
      <p id=line style="left:10px;top:100.1px;width:80px;height:0.3px"></p>`,
    "/": "screenshot.html",
    "/transparent": "<body style='margin:0'><div style='width:50px;height:50px;background:red'>",
    "/tall": "<body style='margin:0;height:40000px;background:blue'>",
    "/noise": "noise.html",
    "/feed.xml": (_request, response) =>
      void response
        .setHeader("content-type", "text/xml")
        .end(`<?xml-stylesheet type="text/xsl" href="/feed.xsl"?><feed/>`),
    "/feed.xsl": (_request, response) =>
      void response
        .setHeader("content-type", "text/xsl")
        .end(
          `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><body style="background:blue"/></html></xsl:template></xsl:stylesheet>`,
        ),
    "/lazy": "lazy-image.html",
    "/red.svg": (_request, response) => {
      response.setHeader("content-type", "image/svg+xml");
      response.end(
        "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'><rect width='100' height='100' fill='red'/></svg>",
      );
    },
  });
  // opens all pages but the first in new tabs at their URLs; other test files use ready tabs
  renderer = openRenderer([site.port], { warmContexts: 0 });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function png(path: string, options: object = {}): Promise<ReturnType<typeof readPng>> {
  const { bytes, contentType } = await renderer.render(screenshot(site.url(path), options));
  expect(contentType).toBe("image/png");
  return readPng(bytes);
}

function cornersOf({ width, height, pixel }: ReturnType<typeof readPng>): number[][] {
  const [right, bottom] = [width - 1, height - 1];
  return [pixel(0, 0), pixel(right, 0), pixel(0, bottom), pixel(right, bottom)];
}

describe("the viewport", () => {
  it("is 1280 x 800 at scale 1 by default", async () => {
    const image = await png("/");
    expect([image.width, image.height]).toEqual([1280, 800]);
    expect(image.pixel(5, 5)).toEqual(RED);
    expect(image.pixel(5, 799)).toEqual(RED);
    expect(image.pixel(1279, 5)).toEqual(RED);
  });

  it("is the requested width and height times the scale", async () => {
    const image = await png("/", { width: 320, height: 200, scale: 3 });
    expect([image.width, image.height]).toEqual([960, 600]);
    expect(image.pixel(0, 599)).toEqual(RED);
  });

  it.each([1, 2, 3])("has a device scale factor of %i", async (scale) => {
    const image = await png("/", { selector: "#ratio", scale });
    expect([image.width, image.height]).toEqual([100 * scale, 20 * scale]);
  });

  it("shows a feed with its XSLT style sheet, without the browser's warning", async () => {
    expect(cornersOf(await png("/feed.xml"))).toEqual([BLUE, BLUE, BLUE, BLUE]);
  });
});

describe("fullPage", () => {
  it("captures the whole scrollable page without changing 100vh", async () => {
    const image = await png("/", { fullPage: true });
    expect([image.width, image.height]).toEqual([1500, 2420]);
    expect(image.pixel(5, 799)).toEqual(RED);
    expect(image.pixel(5, 800)).toEqual(GREEN);
    expect(image.pixel(1450, 2350)).toEqual(BLUE);
  });

  it("captures a page 40,000 pixels tall", async () => {
    const image = await png("/tall", { fullPage: true, width: 100, height: 100 });
    expect([image.width, image.height]).toEqual([100, 40_000]);
    expect(image.pixel(50, 39_999)).toEqual(BLUE);
  });

  it("captures lazy images below the fold", async () => {
    const image = await png("/lazy", { fullPage: true });
    expect(image.pixel(50, 20_050)).toEqual(RED);
  });
});

describe("selector", () => {
  it("captures the first match, even outside the viewport, without a fixed banner over it", async () => {
    const image = await png("/", { selector: ".box" });
    expect([image.width, image.height]).toEqual([200, 100]);
    expect(cornersOf(image)).toEqual([BLUE, BLUE, BLUE, BLUE]);
  });

  it("captures an element at fractional coordinates as it is drawn, without a strip of its surroundings", async () => {
    const image = await png("/fractional", { selector: "#box" });
    expect([image.width, image.height]).toEqual([80, 40]);
    expect(cornersOf(image)).toEqual([RED, RED, RED, RED]);
    const line = await png("/fractional", { selector: "#line" });
    expect([line.width, line.height]).toEqual([80, 1]);
  });

  it("captures an element in a scroll container", async () => {
    const image = await png("/", { selector: "#inner" });
    expect([image.width, image.height]).toEqual([50, 50]);
    expect(image.pixel(25, 25)).toEqual([128, 0, 128, 255]);
  });

  it.each([
    ["#nowhere", "matches no element on the page", ["selector-unmatched"]],
    ["#empty", "has no area to capture", []],
    ["[", "is not valid CSS", ["selector-unmatched"]],
    ["text/Far", "is not valid CSS", ["selector-unmatched"]],
    ["xpath///div", "is not valid CSS", ["selector-unmatched"]],
    ["body >>> div", "is not valid CSS", ["selector-unmatched"]],
  ])("fails with render_failed and the reason: %s", async (selector, reason, notes) => {
    const failure = await errorOf(renderer.render(screenshot(site.url("/"), { selector })));
    expect(failure.notes).toEqual(notes);
    expect(failure.code).toBe("render_failed");
    expect(failure.message).toContain(selector);
    expect(failure.message).toContain(reason);
  });
});

describe("clip", () => {
  it("captures an area of the page beyond the viewport", async () => {
    const image = await png("/", { clipX: 1290, clipY: 2310, clipWidth: 20, clipHeight: 30 });
    expect([image.width, image.height]).toEqual([20, 30]);
    expect(image.pixel(0, 0)).toEqual(GREEN);
    expect(image.pixel(19, 29)).toEqual(BLUE);
  });

  it("is relative to the top of the page if the page is scrolled", async () => {
    const image = await png("/#far", { clipX: 0, clipY: 790, clipWidth: 10, clipHeight: 20, scale: 2 });
    expect([image.width, image.height]).toEqual([20, 40]);
    expect(image.pixel(0, 0)).toEqual(RED);
    expect(image.pixel(0, 39)).toEqual(GREEN);
  });

  it("keeps its size beyond the end of the page", async () => {
    const image = await png("/", { clipX: 9000, clipY: 9000, clipWidth: 400, clipHeight: 300 });
    expect([image.width, image.height]).toEqual([400, 300]);
    expect(image.pixel(399, 299)).toEqual(GREEN);
  });
});

describe("omitBackground", () => {
  it("makes unpainted areas fully transparent", async () => {
    const image = await png("/transparent", { omitBackground: true });
    expect(image.pixel(25, 25)).toEqual(RED);
    expect(image.pixel(100, 100)[3]).toBe(0);
  });

  it("leaves unpainted areas opaque white if it is off", async () => {
    expect((await png("/transparent")).pixel(100, 100)).toEqual(WHITE);
  });
});

describe("format and quality", () => {
  it("produce a smaller JPEG at a lower quality", async () => {
    const sizes: number[] = [];
    for (const quality of [10, 90]) {
      const file = await renderer.render(
        screenshot(site.url("/noise"), { format: "jpeg", quality, scale: 2 }),
      );
      expect(file.contentType).toBe("image/jpeg");
      expect(readJpegSize(file.bytes)).toEqual({ width: 2560, height: 1600 });
      sizes.push(file.bytes.length);
    }
    expect(sizes[0]).toBeLessThan(sizes[1] ?? 0);
  });

  it("produce a smaller WebP at a lower quality, and allow transparency", async () => {
    const sizes: number[] = [];
    for (const quality of [10, 90]) {
      const file = await renderer.render(screenshot(site.url("/noise"), { format: "webp", quality }));
      expect(file.contentType).toBe("image/webp");
      expect(readWebpSize(file.bytes)).toEqual({ width: 1280, height: 800 });
      sizes.push(file.bytes.length);
    }
    expect(sizes[0]).toBeLessThan(sizes[1] ?? 0);
    const transparent = await renderer.render(
      screenshot(site.url("/transparent"), { format: "webp", omitBackground: true }),
    );
    const base64 = Buffer.from(transparent.bytes).toString("base64");
    const onBlue = documentOf({
      "index.html": `<body style="margin:0;background:blue"><img src="data:image/webp;base64,${base64}">`,
    });
    const shown = await renderer.render(screenshot(onBlue.url), { document: onBlue });
    expect(readPng(shown.bytes).pixel(100, 100)).toEqual(BLUE);
    expect(readPng(shown.bytes).pixel(25, 25)).not.toEqual(BLUE);
  });
});

describe("a screenshot that is too large", () => {
  it.each<[string, string, ScreenshotOptions, string]>([
    [
      "a WebP of more than 16,383 pixels per side",
      "/tall",
      { format: "webp", fullPage: true, width: 10, height: 10 },
      "16383",
    ],
    [
      "a JPEG of more than 65,535 pixels per side",
      "/tall",
      { format: "jpeg", fullPage: true, width: 10, height: 10, scale: 2 },
      "65535",
    ],
    [
      "more than 100 million pixels",
      "/tall",
      { fullPage: true, width: 3000, height: 10, resizeWidth: 300 },
      "the limit is 100000000 in total. Send a smaller scale or fullPageMaxHeight, or capture a part.",
    ],
  ])("fails with render_failed and the limit: %s", async (_name, path, options, limit) => {
    const failure = await errorOf(renderer.render(screenshot(site.url(path), options)));
    expect(failure).toMatchObject({ code: "render_failed", notes: ["capture-too-large"] });
    expect(failure.message).toContain(limit);
  });
});
