// @module-tag browser

import sharp, { type Metadata } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { errorOf, openRenderer, screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

/* 400 x 200 pixels: the left half is red over blue, the right half green over yellow. */
const QUADRANTS = `<body style="margin:0;background:conic-gradient(from 90deg, yellow 90deg, blue 90deg 180deg, red 180deg 270deg, lime 270deg)">`;
const VIEWPORT = { width: 400, height: 200 };
const [RED, GREEN, BLUE, YELLOW, WHITE] = [
  [255, 0, 0, 255],
  [0, 255, 0, 255],
  [0, 0, 255, 255],
  [255, 255, 0, 255],
  [255, 255, 255, 255],
];
const TRANSPARENT = [0, 0, 0, 0];

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/quadrants": QUADRANTS,
    "/tall": `<body style="margin:0;height:3000px;background:linear-gradient(red 50%, blue 50%)">`,
    "/very-tall": `<body style="margin:0;height:20000px;background:lime">`,
    "/noise": "noise.html",
    "/empty": "<body>",
    "/box": `<body style="margin:0"><div style="width:50px;height:50px;background:red">`,
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

interface DecodedImage {
  readonly bytes: Uint8Array;
  readonly size: readonly [number, number];
  readonly metadata: Metadata;
  pixel(x: number, y: number): number[];
}

async function render(path: string, options: ScreenshotOptions): Promise<DecodedImage> {
  const { bytes, contentType } = await renderer.render(screenshot(site.url(path), options));
  expect(contentType).toBe(`image/${options.output ?? options.format ?? "png"}`);
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const metadata = await sharp(bytes).metadata();
  return {
    bytes,
    size: [info.width, info.height],
    metadata,
    pixel: (x, y) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)],
  };
}

/** Whether two pixels look the same after lossy encoding. */
function isSimilar(pixel: readonly number[], expected: readonly number[] = []): boolean {
  return pixel.every((value, index) => Math.abs(value - (expected[index] ?? 0)) <= 12);
}

describe("resizing", () => {
  it.each<[ScreenshotOptions, [number, number]]>([
    [{ resizeWidth: 100 }, [100, 50]],
    [{ resizeHeight: 100 }, [200, 100]],
    [{ resizeWidth: 100, resizeHeight: 100 }, [100, 50]],
    [{ resizeWidth: 100, resizeHeight: 100, resizeFit: "cover" }, [100, 100]],
    [{ resizeWidth: 100, resizeHeight: 100, resizeFit: "contain" }, [100, 100]],
    [{ resizeWidth: 101, resizeHeight: 7 }, [14, 7]],
    // the image is never enlarged; `contain` adds a border instead
    [{ resizeWidth: 800 }, [400, 200]],
    [{ resizeWidth: 800, resizeHeight: 100, resizeFit: "cover" }, [400, 100]],
    [{ resizeWidth: 800, resizeHeight: 300, resizeFit: "contain" }, [800, 300]],
    [{ scale: 2, resizeWidth: 600 }, [600, 300]],
    [{ scale: 2, clipX: 0, clipY: 0, clipWidth: 100, clipHeight: 100, resizeWidth: 150 }, [150, 150]],
    [{ resizeWidth: 1 }, [1, 1]],
  ])("with %o returns an image of %j pixels", async (options, size) => {
    expect((await render("/quadrants", { ...VIEWPORT, ...options })).size).toEqual(size);
  });

  it("with resizeFit=inside shows the whole image", async () => {
    const { pixel } = await render("/quadrants", { ...VIEWPORT, resizeWidth: 100 });
    expect([pixel(5, 5), pixel(95, 5), pixel(5, 45), pixel(95, 45)]).toEqual([RED, GREEN, BLUE, YELLOW]);
  });

  it("with resizeFit=cover keeps the center, the top or the bottom", async () => {
    const cover = { ...VIEWPORT, resizeWidth: 400, resizeHeight: 100, resizeFit: "cover" } as const;
    const center = await render("/quadrants", cover);
    expect([center.pixel(5, 5), center.pixel(5, 95)]).toEqual([RED, BLUE]);
    const top = await render("/quadrants", { ...cover, resizePosition: "top" });
    expect([top.pixel(5, 5), top.pixel(395, 95)]).toEqual([RED, GREEN]);
    const bottom = await render("/quadrants", { ...cover, resizePosition: "bottom" });
    expect([bottom.pixel(5, 5), bottom.pixel(395, 95)]).toEqual([BLUE, YELLOW]);
  });

  it("with resizeFit=contain adds a transparent border, and puts the image at resizePosition", async () => {
    const contain = { ...VIEWPORT, resizeWidth: 200, resizeHeight: 200, resizeFit: "contain" } as const;
    const center = await render("/quadrants", contain);
    expect([center.pixel(5, 5), center.pixel(5, 55), center.pixel(5, 195)]).toEqual([
      TRANSPARENT,
      RED,
      TRANSPARENT,
    ]);
    const top = await render("/quadrants", { ...contain, resizePosition: "top" });
    expect([top.pixel(5, 5), top.pixel(5, 195)]).toEqual([RED, TRANSPARENT]);
    const webp = await render("/quadrants", { ...contain, format: "webp", resizePosition: "bottom" });
    expect([webp.pixel(5, 5)[3], webp.pixel(5, 195)[3]]).toEqual([0, 255]);
  });

  it("with resizeFit=contain adds a white border in JPEG", async () => {
    const { pixel, metadata } = await render("/quadrants", {
      ...VIEWPORT,
      format: "jpeg",
      resizeWidth: 200,
      resizeHeight: 200,
      resizeFit: "contain",
    });
    expect(metadata.format).toBe("jpeg");
    expect([pixel(5, 5), isSimilar(pixel(50, 75), RED)]).toEqual([WHITE, true]);
  });

  it("fits a full page that would otherwise be too tall for its format", async () => {
    const { size, pixel } = await render("/very-tall", {
      ...VIEWPORT,
      fullPage: true,
      format: "webp",
      resizeWidth: 40,
    });
    expect(size).toEqual([40, 2000]);
    expect(isSimilar(pixel(20, 1990), GREEN)).toBe(true);
  });

  it("makes a smaller file at a lower quality", async () => {
    const resized = { format: "jpeg", resizeWidth: 640 } as const;
    const [low, high] = [
      await render("/noise", { ...resized, quality: 10 }),
      await render("/noise", { ...resized, quality: 90 }),
    ];
    expect(low.bytes.length).toBeLessThan(high.bytes.length);
  });

  it("leaves no metadata in the file", async () => {
    for (const options of [{}, { format: "jpeg" }, { format: "webp" }, { output: "avif" }] as const) {
      const { metadata } = await render("/box", { ...VIEWPORT, resizeWidth: 100, ...options });
      expect(Object.keys(metadata).filter((name) => /^(exif|icc|iptc|xmp|comments)$/.test(name))).toEqual([]);
    }
  });

  it("still notes a blank page", async () => {
    const blank = screenshot(site.url("/empty"), { resizeWidth: 100, colorScheme: "light", css: "a{}" });
    expect((await renderer.render(blank)).notes).toEqual(["blank"]);
  });

  it("fails if the image would have more pixels than the limit for resized images", async () => {
    const options = { width: 5000, height: 4000, format: "webp", resizeWidth: 4900 } as const;
    const error = await errorOf(renderer.render(screenshot(site.url("/quadrants"), options)));
    expect([error.code, error.notes]).toEqual(["render_failed", ["capture-too-large"]]);
    expect(error.message).toBe(
      "The screenshot would be 4900 x 3920 pixels; the limit for a resized or converted image is 16777216 in total. Send a smaller scale, fullPageMaxHeight or resizeWidth, or capture a part.",
    );
  });
});

describe("output=avif", () => {
  it("returns an AVIF image in the size and colors of the capture", async () => {
    const { size, metadata, pixel } = await render("/quadrants", { ...VIEWPORT, scale: 2, output: "avif" });
    expect([metadata.mediaType, size]).toEqual(["image/avif", [800, 400]]);
    expect(isSimilar(pixel(50, 50), RED)).toBe(true);
    expect(isSimilar(pixel(750, 350), YELLOW)).toBe(true);
  });

  it("has quality 50 by default, and makes a smaller file at a lower quality", async () => {
    const sizes: number[] = [];
    for (const quality of [20, 50, 80])
      sizes.push((await render("/noise", { ...VIEWPORT, output: "avif", quality })).bytes.length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(new Set(sizes).size).toBe(3);
    const { bytes } = await render("/noise", { ...VIEWPORT, output: "avif" });
    expect(bytes.length).toBe(sizes[1]);
  });

  it("can be transparent, resized and full-page", async () => {
    const box = await render("/box", { ...VIEWPORT, output: "avif", omitBackground: true });
    expect([isSimilar(box.pixel(10, 10), RED), box.pixel(300, 100)[3]]).toEqual([true, 0]);
    const tall = await render("/tall", { ...VIEWPORT, output: "avif", fullPage: true, resizeHeight: 300 });
    expect(tall.size).toEqual([40, 300]);
    expect([isSimilar(tall.pixel(20, 20), RED), isSimilar(tall.pixel(20, 280), BLUE)]).toEqual([true, true]);
  });

  it("returns identical bytes for identical pages", async () => {
    const options = { ...VIEWPORT, output: "avif" } as const;
    expect((await render("/quadrants", options)).bytes).toEqual((await render("/quadrants", options)).bytes);
  });

  it("fails if the image is too tall for the format, and suggests a fix", async () => {
    const options = { ...VIEWPORT, fullPage: true, output: "avif" } as const;
    const error = await errorOf(renderer.render(screenshot(site.url("/very-tall"), options)));
    expect([error.code, error.notes]).toEqual(["render_failed", ["capture-too-large"]]);
    expect(error.message).toBe(
      "The screenshot would be 400 x 20000 pixels; the limit for avif is 16384 per side. Send a smaller scale, fullPageMaxHeight or resizeWidth, or capture a part.",
    );
  });
});

describe("maxRenderingBytes", () => {
  it("applies to the converted file", async () => {
    const small = openRenderer([site.port], { maxRenderingBytes: 10_000 });
    try {
      const framed = { resizeWidth: 3000, resizeHeight: 3000, resizeFit: "contain" } as const;
      await small.render(screenshot(site.url("/box"), VIEWPORT));
      const error = await errorOf(small.render(screenshot(site.url("/box"), { ...VIEWPORT, ...framed })));
      expect([error.code, error.notes]).toEqual(["render_failed", ["capture-too-large"]]);
    } finally {
      await small.close();
    }
  });
});
