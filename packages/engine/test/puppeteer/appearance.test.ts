// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IncomingHttpHeaders } from "node:http";
import { readPng } from "./image.ts";
import { readPdf } from "./read-pdf.ts";
import { allowBothSites, openRenderer, pdf, screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";
import type { Renderer } from "../../src/ports/renderer.ts";

/*
 * The browser as a page sees it. Each page reports it to its server, from the main frame, from a frame with another
 * origin and from a worker.
 */

const REPORT = `
const facts = () => ({
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  reduced: matchMedia("(prefers-reduced-motion: reduce)").matches,
  forced: matchMedia("(forced-colors: active)").matches,
  print: matchMedia("print").matches,
  language: navigator.language,
  languages: navigator.languages,
  number: new Intl.NumberFormat().format(1234.5),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  userAgent: navigator.userAgent,
  platform: navigator.platform,
  brands: navigator.userAgentData?.brands,
  width: innerWidth,
  height: innerHeight,
  ratio: devicePixelRatio,
  touch: navigator.maxTouchPoints,
  screen: [screen.width, screen.height],
  orientation: screen.orientation.type,
  pointer: ["none", "coarse", "fine"].find((pointer) => matchMedia("(pointer: " + pointer + ")").matches),
  hovers: matchMedia("(hover: hover)").matches,
});
const send = (name, value) => fetch("/report?" + name, { method: "POST", body: JSON.stringify(value) });
`;

const WORKER = `postMessage({
  language: navigator.language,
  number: new Intl.NumberFormat().format(1234.5),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  userAgent: navigator.userAgent,
})`;

let site: Site;
let other: Site;
let renderer: Renderer;
const reports = new Map<string, Readonly<Record<string, unknown>>>();
const headers = new Map<string, IncomingHttpHeaders>();

type Pages = Parameters<typeof openSite>[0];

const pages = (frame: string): Pages => ({
  "/": (request, response) => {
    headers.set("page", request.headers).set(request.url ?? "", request.headers);
    response.setHeader("content-type", "text/html")
      .end(`<!doctype html><meta name=viewport content="width=device-width">
      <script>${REPORT}
      send("page", facts());
      const worker = new Worker("/worker.js");
      worker.onmessage = ({ data }) => send("worker", data);
      </script>${frame}`);
  },
  "/frame": `<!doctype html><script>${REPORT}; send("frame", facts())</script>`,
  "/worker.js": (_request, response) =>
    void response.setHeader("content-type", "text/javascript").end(WORKER),
  "/report": (request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      reports.set(request.url?.split("?")[1] ?? "", JSON.parse(body) as Record<string, unknown>);
      response.end();
    });
  },
  "/position": `<!doctype html><script>${REPORT}
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) => send("position", { latitude, longitude, accuracy }),
      ({ code }) => send("position", { code }),
    )</script>`,
  "/no-script": `<!doctype html><body style="background:#00ff00">text<script>fetch("/report?script", { method: "POST", body: "{}" })</script>`,
});

beforeAll(async () => {
  other = await openSite(pages(""));
  // a different site, so its frame has its own process
  site = await openSite(pages(`<iframe src="${other.url("/frame", "localhost")}"></iframe>`));
  renderer = openRenderer([], { targets: allowBothSites(site.port, other.port) });
  return async () => {
    await renderer.close();
    await Promise.all([site.close(), other.close()]);
  };
});

afterAll(() => reports.clear());

async function collectReports(options: ScreenshotOptions, path = "/"): Promise<typeof reports> {
  reports.clear();
  await renderer.render(screenshot(site.url(path), { waitUntil: "networkidle0", ...options }));
  return new Map(reports);
}

describe("the browser that a page sees", () => {
  it("has no media preferences by default", async () => {
    const seen = await collectReports({});
    expect(seen.get("page")).toMatchObject({ dark: false, reduced: false, forced: false, print: false });
  });

  it.each<[ScreenshotOptions, object]>([
    [{ colorScheme: "dark" }, { dark: true }],
    [{ reducedMotion: true }, { reduced: true }],
    [{ forcedColors: true }, { forced: true }],
    [{ mediaType: "print" }, { print: true }],
    [
      { colorScheme: "dark", reducedMotion: true, mediaType: "print" },
      { dark: true, reduced: true, print: true },
    ],
  ])("follows %j, even in frames from other sites", async (options, facts) => {
    const seen = await collectReports(options);
    expect(seen.get("page")).toMatchObject(facts);
    expect(seen.get("frame")).toMatchObject(facts);
  });

  it("has the requested language and time zone, in requests, frames and workers", async () => {
    const seen = await collectReports({ locale: "de-DE", timeZone: "Asia/Kolkata" });
    const facts = { language: "de-DE", number: "1.234,5", timeZone: "Asia/Calcutta" };
    expect(seen.get("page")).toMatchObject({ ...facts, languages: ["de-DE", "de"] });
    expect(seen.get("frame")).toMatchObject(facts);
    expect(seen.get("worker")).toMatchObject(facts);
    expect(headers.get("page")).toMatchObject({ "accept-language": "de-DE,de;q=0.9" });
  });

  it.each([
    ["und", ["und"], "und"],
    ["und-CH", ["und-CH"], "und-CH"],
  ])("has a single language with the locale %s", async (locale, languages, header) => {
    const seen = await collectReports({ locale });
    expect(seen.get("page")).toMatchObject({ languages });
    expect(headers.get("page")).toMatchObject({ "accept-language": header });
  });

  it("has the requested user agent, in requests, frames and workers", async () => {
    const userAgent =
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/149.0.1.2 Safari/537.36";
    const seen = await collectReports({ userAgent });
    for (const name of ["page", "frame", "worker"]) expect(seen.get(name)).toMatchObject({ userAgent });
    expect(seen.get("page")).toMatchObject({ platform: "Win32" });
    expect(headers.get("page")).toMatchObject({ "user-agent": userAgent });
    expect(headers.get("page")?.["sec-ch-ua"] ?? '"149"').toContain('"149"');
  });

  it("sends no client hints with the user agent of a bot, and has no brands", async () => {
    const seen = await collectReports({ userAgent: "ExampleBot/1.0" });
    expect(headers.get("page")).toMatchObject({ "user-agent": "ExampleBot/1.0" });
    expect(seen.get("page")).toMatchObject({ brands: [] });
    expect(headers.get("page")).not.toHaveProperty("sec-ch-ua");
  });

  it("is that of a device", async () => {
    const seen = await collectReports({ device: "iphone-15-pro" });
    expect(seen.get("page")).toMatchObject({ width: 393, height: 659, ratio: 3, platform: "iPhone" });
    expect(seen.get("page")?.["touch"]).toBeGreaterThan(0);
    expect(headers.get("page")?.["user-agent"]).toContain("iPhone");
    const { bytes } = await renderer.render(screenshot(site.url("/"), { device: "pixel-5-landscape" }));
    expect(readPng(bytes)).toMatchObject({ width: 2553, height: 1179 });
  });

  it.each([
    [{}, { screen: [1280, 800], orientation: "landscape-primary", pointer: "fine", hovers: true }],
    [{ width: 1920, height: 1080 }, { screen: [1920, 1080] }],
    [
      { mobile: true, touch: true, width: 390, height: 844 },
      { screen: [390, 844], orientation: "portrait-primary", pointer: "coarse", hovers: false },
    ],
  ])("has a screen of the viewport's size, and a mouse unless touch is set: %j", async (options, facts) => {
    const seen = await collectReports(options);
    expect(seen.get("page")).toMatchObject(facts);
    expect(seen.get("page")?.["touch"]).toBe("touch" in options ? 5 : 0);
  });

  it("is separate for each page if many are rendered concurrently", async () => {
    const rendering = Array.from({ length: 6 }, (_, index) =>
      renderer.render(screenshot(site.url(`/?${index}`), { userAgent: `Bot/${index}` })),
    );
    await Promise.all(rendering);
    for (const index of [0, 1, 2, 3, 4, 5])
      expect(headers.get(`/?${index}`)).toMatchObject({ "user-agent": `Bot/${index}` });
  });
});

describe("the position", () => {
  it("is known to the page if it was sent", async () => {
    const seen = await collectReports({ latitude: 47.5, longitude: -8.25 }, "/position");
    expect(seen.get("position")).toEqual({ latitude: 47.5, longitude: -8.25, accuracy: 10 });
  });

  it("is denied otherwise", async () => {
    expect((await collectReports({}, "/position")).get("position")).toEqual({ code: 1 });
  });
});

describe("a page without JavaScript", () => {
  it("runs no script, even if many pages are rendered concurrently", async () => {
    reports.clear();
    const options = { javascript: false, waitUntil: "networkidle0" } as const;
    const rendering = Array.from({ length: 8 }, () =>
      renderer.render(screenshot(site.url("/no-script"), options)),
    );
    await Promise.all(rendering);
    expect(reports.has("script")).toBe(false);
  });

  it("is rendered, as an image and as a PDF", async () => {
    const options = { javascript: false } as const;
    const url = site.url("/no-script");
    const image = await renderer.render(screenshot(url, { ...options, fullPage: true }));
    expect(readPng(image.bytes).pixel(600, 400)).toEqual([0, 255, 0, 255]);
    const { pages: printed } = await readPdf((await renderer.render(pdf(url, options))).bytes);
    expect(printed.map(({ textItems }) => textItems.map(({ text }) => text))).toEqual([["text"]]);
  });
});
