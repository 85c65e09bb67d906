// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readJpegSize, readPng, readWebpSize } from "./image.ts";
import { failureOf, openRenderer, screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const BLUE = [0, 0, 255, 255];
const WHITE = [255, 255, 255, 255];

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/": "screenshot.html",
    "/transparent": "<body style='margin:0'><div style='width:50px;height:50px;background:red'>",
    "/tall": "<body style='margin:0;height:40000px;background:blue'>",
    "/ratio": "<body><script>document.body.textContent = devicePixelRatio + ' ' + innerWidth</script>",
    "/noise": "noise.html",
    "/lazy": "lazy-image.html",
    "/red.svg": (_request, response) => {
      response.setHeader("content-type", "image/svg+xml");
      response.end(
        "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'><rect width='100' height='100' fill='red'/></svg>",
      );
    },
  });
  // each page is made for its address, while other tests take one that was kept ready
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

describe("the viewport", () => {
  it("is 1280 x 800 at scale 1 when none is sent", async () => {
    const picture = await png("/");
    expect([picture.width, picture.height]).toEqual([1280, 800]);
    expect(picture.pixel(5, 5)).toEqual(RED);
    expect(picture.pixel(5, 799)).toEqual(RED);
    expect(picture.pixel(1279, 5)).toEqual(RED);
  });

  it("is as wide and high as was sent, times the scale", async () => {
    const picture = await png("/", { width: 320, height: 200, scale: 3 });
    expect([picture.width, picture.height]).toEqual([960, 600]);
    expect(picture.pixel(0, 599)).toEqual(RED);
  });

  it.each([1, 2, 3])("gives the page its scale: %i", async (scale) => {
    const picture = await png("/", { selector: "#ratio", scale });
    expect([picture.width, picture.height]).toEqual([100 * scale, 20 * scale]);
  });
});

describe("fullPage", () => {
  it("captures the whole scrollable page, and 100vh stays the height of the viewport", async () => {
    const picture = await png("/", { fullPage: true });
    expect([picture.width, picture.height]).toEqual([1500, 2420]);
    expect(picture.pixel(5, 799)).toEqual(RED);
    expect(picture.pixel(5, 800)).toEqual(GREEN);
    expect(picture.pixel(1450, 2350)).toEqual(BLUE);
  });

  it("works for a page 40,000 pixels tall", async () => {
    const picture = await png("/tall", { fullPage: true, width: 100, height: 100 });
    expect([picture.width, picture.height]).toEqual([100, 40_000]);
    expect(picture.pixel(50, 39_999)).toEqual(BLUE);
  });

  it("holds images that wait to be scrolled to", async () => {
    const picture = await png("/lazy", { fullPage: true });
    expect(picture.pixel(50, 20_050)).toEqual(RED);
  });
});

describe("selector", () => {
  it("captures the first match, out of sight and not under the fixed banner", async () => {
    const picture = await png("/", { selector: ".box" });
    expect([picture.width, picture.height]).toEqual([200, 100]);
    for (const [x, y] of [
      [0, 0],
      [199, 0],
      [0, 99],
      [199, 99],
    ] as const)
      expect(picture.pixel(x, y)).toEqual(BLUE);
  });

  it("finds an element in a scrolled box", async () => {
    const picture = await png("/", { selector: "#inner" });
    expect([picture.width, picture.height]).toEqual([50, 50]);
    expect(picture.pixel(25, 25)).toEqual([128, 0, 128, 255]);
  });

  it.each([
    ["#nowhere", "matches no element on the page"],
    ["#empty", "has no area to capture"],
    ["[", "is not valid CSS"],
    ["text/Far", "is not valid CSS"],
    ["xpath///div", "is not valid CSS"],
    ["body >>> div", "is not valid CSS"],
  ])("%s: render_failed that says why", async (selector, why) => {
    const failure = await failureOf(renderer.render(screenshot(site.url("/"), { selector })));
    expect(failure.code).toBe("render_failed");
    expect(failure.message).toContain(selector);
    expect(failure.message).toContain(why);
  });
});

describe("clip", () => {
  it("captures a region of the page, beyond the viewport too", async () => {
    const picture = await png("/", { clipX: 1290, clipY: 2310, clipWidth: 20, clipHeight: 30 });
    expect([picture.width, picture.height]).toEqual([20, 30]);
    expect(picture.pixel(0, 0)).toEqual(GREEN);
    expect(picture.pixel(19, 29)).toEqual(BLUE);
  });

  it("counts from the top of the page although it is scrolled", async () => {
    const picture = await png("/#far", { clipX: 0, clipY: 790, clipWidth: 10, clipHeight: 20, scale: 2 });
    expect([picture.width, picture.height]).toEqual([20, 40]);
    expect(picture.pixel(0, 0)).toEqual(RED);
    expect(picture.pixel(0, 39)).toEqual(GREEN);
  });

  it("keeps its size where the page ends", async () => {
    const picture = await png("/", { clipX: 9000, clipY: 9000, clipWidth: 400, clipHeight: 300 });
    expect([picture.width, picture.height]).toEqual([400, 300]);
    expect(picture.pixel(399, 299)).toEqual(GREEN);
  });
});

describe("omitBackground", () => {
  it("leaves what the page does not paint fully transparent", async () => {
    const picture = await png("/transparent", { omitBackground: true });
    expect(picture.pixel(25, 25)).toEqual(RED);
    expect(picture.pixel(100, 100)[3]).toBe(0);
  });

  it("is opaque white otherwise", async () => {
    expect((await png("/transparent")).pixel(100, 100)).toEqual(WHITE);
  });
});

describe("format and quality", () => {
  it("jpeg: a lower quality is smaller", async () => {
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

  it("webp: a lower quality is smaller, and it can be transparent", async () => {
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
    expect(readWebpSize(transparent.bytes)).toEqual({ width: 1280, height: 800 });
  });
});

describe("a capture that can't be held", () => {
  it.each<[string, string, ScreenshotOptions, string]>([
    [
      "a WebP over 16,383 on a side",
      "/tall",
      { format: "webp", fullPage: true, width: 10, height: 10 },
      "16383",
    ],
    [
      "a JPEG over 65,535 on a side",
      "/tall",
      { format: "jpeg", fullPage: true, width: 10, height: 10, scale: 2 },
      "65535",
    ],
    ["more than 100 million pixels", "/tall", { fullPage: true, width: 3000, height: 10 }, "100000000"],
  ])("%s: render_failed that says why", async (_name, path, options, limit) => {
    const failure = await failureOf(renderer.render(screenshot(site.url(path), options)));
    expect(failure.code).toBe("render_failed");
    expect(failure.message).toContain(limit);
  });
});
