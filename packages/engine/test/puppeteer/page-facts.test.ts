// @module-tag browser

import { afterAll, beforeAll, expect, it } from "vitest";
import type { PageFacts, Renderer } from "../../src/ports/renderer.ts";
import { openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, redirect, type Site } from "./site.ts";

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/": "<title>  A   page – é </title><h1>one</h1>",
    "/invisible":
      "<title>one\u202e\u2066two\u009b&#x2028;three\u200cfour\u200d\ufeff fi&shy;ve&ZeroWidthSpace;s</title>",
    "/removed": "<script>document.documentElement.remove()</script>",
    "/none": "<h1>no title</h1>",
    "/redirect": redirect("/?redirected=1#part"),
    "/script-redirect": "<title>first</title><script>location.replace('/?replaced=1')</script>",
    "/hostile": `<title>real</title><body><form name="title"></form><img name="title">
      <script>Object.defineProperty(document, "title", { get: () => "forged" });
      Document.prototype.__defineGetter__("title", () => "forged");
      document.querySelector("title").textContent = "\ud800".repeat(2) + "x".repeat(2_000_000);</script>`,
    "/long": `<title>long</title><p style="break-after:page">1</p><p style="break-after:page">2</p><p>3</p>`,
  });
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function factsOf(path: string, options: object = {}): Promise<readonly (PageFacts | undefined)[]> {
  const url = site.url(path);
  const files = [await renderer.render(screenshot(url, options)), await renderer.render(pdf(url, options))];
  return files.map(({ page }) => page);
}

it("returns the title, with white space collapsed, and the URL of the page", async () => {
  const facts = { title: "A page – é", finalUrl: site.url("/") };
  expect(await factsOf("/")).toEqual([
    { ...facts, pages: null },
    { ...facts, pages: 1 },
  ]);
});

it("returns the title and the URL even if the page runs no scripts, or is not scrolled through", async () => {
  for (const options of [{ javascript: false }, { lazyContent: "off" }])
    for (const facts of await factsOf("/", options))
      expect(facts).toMatchObject({ title: "A page – é", finalUrl: site.url("/") });
});

it("removes or replaces invisible characters in the title, but keeps zero-width joiners and non-joiners", async () => {
  for (const facts of await factsOf("/invisible"))
    expect(facts?.title).toBe("one two three\u200cfour\u200d fives");
});

it("returns no title if the page has removed its root element", async () => {
  const url = site.url("/removed");
  for (const parameters of [screenshot(url, { fullPage: true }), pdf(url)])
    expect((await renderer.render(parameters)).page).toMatchObject({ title: null, finalUrl: url });
});

it("returns no title if the page has none", async () => {
  for (const facts of await factsOf("/none")) expect(facts?.title).toBe(null);
});

it("returns the title and the URL of the document that redirects lead to", async () => {
  for (const facts of await factsOf("/redirect"))
    expect(facts).toMatchObject({ title: "A page – é", finalUrl: site.url("/?redirected=1") });
  for (const facts of await factsOf("/script-redirect"))
    expect(facts).toMatchObject({ title: "A page – é", finalUrl: site.url("/?replaced=1") });
});

it("returns the title despite DOM clobbering and overridden getters, truncated to 500 characters", async () => {
  const expected = `\u{fffd}\u{fffd}${"x".repeat(498)}`;
  for (const facts of await factsOf("/hostile")) expect(facts?.title).toBe(expected);
});

it("counts the pages of a PDF, even if its document information is changed", async () => {
  const [, facts] = await factsOf("/long");
  expect(facts?.pages).toBe(3);
  const titled = await renderer.render(pdf(site.url("/long"), { pdfTitle: "Mine", pageRanges: "1-2" }));
  expect(titled.page).toEqual({ title: "long", finalUrl: site.url("/long"), pages: 2 });
  const single = await renderer.render(pdf(site.url("/long"), { singlePage: true }));
  expect(single.page?.pages).toBe(1);
});
