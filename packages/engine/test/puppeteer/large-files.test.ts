// @module-tag browser

import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { readPng } from "./image.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { errorOf, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const LIMIT_BYTES = 200_000;
const MEBIBYTE = 1024 * 1024;
const BLUE = [0, 0, 255, 255];

/** Noise, which no encoder can compress, with a blue pixel at the bottom right. */
const noise = (width: number, height: number): string => `<body style="margin:0">
  <canvas width=${width} height=${height} style="display:block"></canvas>
  <script>
    const context = document.querySelector("canvas").getContext("2d");
    const image = context.createImageData(${width}, ${height});
    for (let at = 0; at < image.data.length; at += 4096) crypto.getRandomValues(image.data.subarray(at, at + 4096));
    for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
    image.data.set(${JSON.stringify(BLUE)}, image.data.length - 4);
    context.putImageData(image, 0, 0);
  </script>`;

let site: Site;

beforeAll(async () => {
  site = await openSite({
    "/": "<h1>fine</h1>",
    "/noise": noise(1280, 800),
    "/more-noise": noise(2000, 2000),
  });
});

afterAll(() => site.close());

describe.each(["local", "remote"])("a %s browser", (kind) => {
  const events: RendererEvent[] = [];

  const open = async (options: { readonly maxRenderingBytes?: number } = {}): Promise<Renderer> => {
    events.length = 0;
    const browserUrls = kind === "remote" ? [(await startRemoteBrowser()).webSocketUrl] : [];
    const renderer = openRenderer([site.port], {
      ...options,
      browserUrls,
      onEvent: (event) => events.push(event),
    });
    onTestFinished(() => renderer.close());
    return renderer;
  };

  it("returns files of several megabytes unchanged", async () => {
    const renderer = await open();
    const [png, document] = await Promise.all([
      renderer.render(screenshot(site.url("/more-noise"), { fullPage: true })),
      renderer.render(pdf(site.url("/more-noise"))),
    ]);
    expect(png.bytes.byteLength).toBeGreaterThan(8 * MEBIBYTE);
    // its checksums would not match if a byte were wrong
    expect(readPng(png.bytes).pixel(1999, 1999)).toEqual(BLUE);
    expect(document.bytes.byteLength).toBeGreaterThan(2 * MEBIBYTE);
    expect((await PDFDocument.load(document.bytes)).getPages().length).toBeGreaterThan(0);
  });

  it("rejects files larger than the limit, without affecting other renders", async () => {
    const renderer = await open({ maxRenderingBytes: LIMIT_BYTES });
    const large = Promise.all([
      errorOf(renderer.render(screenshot(site.url("/more-noise"), { fullPage: true }))),
      errorOf(renderer.render(screenshot(site.url("/noise"), { format: "webp", quality: 100 }))),
      errorOf(renderer.render(pdf(site.url("/more-noise")))),
    ]);
    const fine = await Promise.all([
      renderer.render(screenshot(site.url("/"))),
      renderer.render(pdf(site.url("/"))),
      renderer.render(
        screenshot(site.url("/noise"), { clipX: 0, clipY: 0, clipWidth: 100, clipHeight: 100 }),
      ),
    ]);
    for (const error of await large)
      expect(error).toMatchObject({
        code: "render_failed",
        message: expect.stringContaining("200,000 bytes") as string,
        notes: ["capture-too-large"],
      });
    for (const { bytes } of fine) expect(bytes.byteLength).toBeLessThanOrEqual(LIMIT_BYTES);
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(events.filter(({ type }) => !/started|connected/.test(type))).toEqual([]);
  });
});
