// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { defaultScreenshot, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/images": `<body><img src="/good.svg"><img src="/missing.png"><img src="/broken.png"><img src=""><img>
      <div style="height:20000px"></div><img loading="lazy" src="/missing.png?below">`,
    "/requests": `<body>text<script src="/reset"></script><script>
      fetch("/reset?again").catch(() => {});
      const aborted = new AbortController();
      fetch("/hangs", { signal: aborted.signal }).catch(() => {});
      aborted.abort();
      fetch("/missing");
    </script>`,
    "/reset": (request) => request.socket.destroy(),
    "/hangs": () => {},
    "/good.svg": (_request, response) =>
      void response
        .setHeader("content-type", "image/svg+xml")
        .end("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 2 1'></svg>"),
    "/broken.png": (_request, response) => void response.setHeader("content-type", "image/png").end("no"),
    "/glyphs": "<body>Text &#x10fffc;",
    "/text-in-scripts": "<body>Zürich Łódź Αθήνα Москва – “a” 1 × 2 €<script>'&#x10fffc;'</script>",
    "/empty": "<body>",
    "/white-text": "<body style='color:white'>unseen",
    "/text": "<body>.",
    "/colored": "<body style='background:#eee'>",
    "/colored-text": "<body style='background:navy;color:white'>text",
    "/black": "<body style='background:black'>",
    "/line":
      "<body style='margin:0'><hr style='margin:799px 0 0 1279px;border:0;width:1px;height:1px;background:#fffffe'>",
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function notesOf(path: string, options: object = {}): Promise<readonly string[]> {
  return (await renderer.render(screenshot(site.url(path), options))).notes;
}

describe("images-failed", () => {
  it("counts the document's images that could not be loaded", async () => {
    expect(await notesOf("/images")).toEqual(["images-failed=2"]);
    expect(await notesOf("/images", { fullPage: true })).toEqual(["images-failed=3"]);
  });

  it("also counts them for PDFs", async () => {
    expect((await renderer.render(pdf(site.url("/images")))).notes).toEqual(["images-failed=3"]);
  });
});

describe("requests-failed", () => {
  it("counts requests that failed, except aborted ones, if the render waits for the network", async () => {
    const { notes } = await renderer.render(defaultScreenshot(site.url("/requests")));
    expect(notes).toEqual(["requests-failed=2"]);
    expect((await renderer.render(pdf(site.url("/requests")))).notes).toEqual(["requests-failed=2"]);
    expect(await notesOf("/requests")).toEqual([]);
  });
});

describe("glyphs-missing", () => {
  it("is returned for text that no font can show, if a parameter changes the page's appearance", async () => {
    expect(await notesOf("/glyphs", { colorScheme: "dark" })).toEqual(["glyphs-missing"]);
    expect(await notesOf("/glyphs")).toEqual([]);
    expect(await notesOf("/text-in-scripts", { colorScheme: "dark" })).toEqual([]);
  });
});

describe("blank", () => {
  it.each<[string, object]>([
    ["/empty", {}],
    ["/empty", { fullPage: true }],
    ["/empty", { width: 37, height: 23, scale: 3 }],
    ["/empty", { omitBackground: true }],
    ["/white-text", {}],
  ])("is returned for blank images if the page was changed: %s %o", async (path, options) => {
    expect(await notesOf(path, { reducedMotion: true, ...options })).toEqual(["blank"]);
    expect(await notesOf(path, options)).toEqual([]);
  });

  it.each([
    { fullPage: true, fullPageMaxHeight: 4000 },
    { selector: "html", padding: 10 },
  ])("is not returned if only a part of the page was captured: %o", async (options) => {
    expect(await notesOf("/empty", options)).toEqual([]);
  });

  it.each(["/text", "/colored", "/colored-text", "/black", "/line"])(
    "is not returned for %s",
    async (path) => {
      expect(await notesOf(path, { reducedMotion: true })).toEqual([]);
    },
  );
});
