// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { RendererEvent } from "../../src/puppeteer/renderer-event.ts";
import { readPng } from "./image.ts";
import { openRecordingSite, type RecordingSite } from "./recording-site.ts";
import { errorOf, openRenderer, pdf, screenshot, type ScreenshotOptions } from "./setup.ts";

const WHITE = [255, 255, 255, 255];
const RED = [255, 0, 0, 255];

const box = (attributes: string): string =>
  `<div ${attributes} style="width: 100px; height: 100px; background: red"></div>`;

const PAGES = {
  "/page.html": `
    <img src="http://ads.test:$port/banner.png?$test"><img src="http://ads.test:$port/allowed.png?$test">
    <img src="/banner.png?$test"><iframe src="http://ads.test:$port/frame.html?$test"></iframe>
    <iframe src="http://other.test:$port/inner.html?$test"></iframe>
    <script src="http://trackers.test:$port/track.js?$test"></script>`,
  "/inner.html": `<img src="http://ads.test:$port/inside.png?$test">`,
  "/generic.html": `<body style="margin: 0">${box("class='ad-box'")}`,
  "/specific.html": `<body style="margin: 0">${box("id='sponsor'")}`,
  "/exempt.html": `<body style="margin: 0">${box("class='spared'")}`,
  "/late.html": `<body style="margin: 0"><script>
    addEventListener("load", () => setTimeout(() => { document.body.innerHTML = \`${box("class='ad-box'")}\`; }, 300));
  </script>`,
  "/slow.html": `<script>
    for (let index = 0; index < 10; index += 1) fetch("/" + index + "a".repeat(8_000)).catch(() => {});
  </script>`,
  "/many-links.html": `<body style="margin: 0">${box("class='ad-box'")}<script>
    for (let index = 0; index < 20_000; index += 1)
      document.body.append(Object.assign(document.createElement("a"), { href: "/" + "\\u00e9".repeat(150) + index }));
  </script>`,
  "/scriptlet.html": `<body style="margin: 0">${box("class='fine'")}`,
};

const ADS = `[Adblock Plus 2.0]
! A comment
||ads.test^$third-party
@@||ads.test^*/allowed.png
##.ad-box
page.test##DIV#sponsor
##.spared
page.test#@#.spared
page.test##+js(set, document.title, changed)
page.test##div:has-text(fine)
`;
const TRACKERS = "||trackers.test^$script";

let site: RecordingSite;
let renderer: Renderer;
let tests = 0;

beforeAll(async () => {
  site = await openRecordingSite(PAGES);
  const filterLists = { ads: ADS, trackers: TRACKERS };
  renderer = openRenderer([site.port], { resolver: site.resolver, filterLists });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function load(path: string, options: ScreenshotOptions) {
  const test = String((tests += 1));
  const url = site.url("page.test", `${path}?test=${test}`);
  const { bytes, notes } = await renderer.render(screenshot(url, { waitUntil: "networkidle0", ...options }));
  return { notes, received: site.received(test), color: readPng(bytes).pixel(50, 50) };
}

const OWN = ["other.test/inner.html", "page.test/banner.png", "page.test/page.html"];
const ADS_ALLOWED = ["ads.test/allowed.png"];
const ADS_BLOCKED = ["ads.test/banner.png", "ads.test/frame.html", "ads.test/inside.png"];
const TRACKING = ["trackers.test/track.js"];

describe.concurrent("filter lists", () => {
  it.each([
    [{}, [...ADS_ALLOWED, ...ADS_BLOCKED, ...TRACKING], []],
    [{ blockAds: true }, [...ADS_ALLOWED, ...TRACKING], ["blocked=3"]],
    [{ blockTrackers: true }, [...ADS_ALLOWED, ...ADS_BLOCKED], ["blocked=1"]],
    [{ blockAds: true, blockTrackers: true }, ADS_ALLOWED, ["blocked=4"]],
    [{ blockAds: true, blockUrls: "*trackers.test*" }, ADS_ALLOWED, ["blocked=4"]],
  ])("block the requests that the parameters select: %j", async (options, others, expected) => {
    const { notes, received } = await load("/page.html", options);
    expect(received).toEqual([...OWN, ...others].toSorted());
    expect(notes).toEqual(expected);
  });

  it("never block the page itself", async () => {
    const url = site.url("ads.test", "/generic.html");
    const { targetStatus } = await renderer.render(screenshot(url, { blockAds: true }));
    expect(targetStatus).toBe(200);
  });

  it.each([
    ["/generic.html", WHITE],
    ["/specific.html", WHITE],
    ["/late.html", WHITE],
    ["/exempt.html", RED],
    ["/scriptlet.html", RED],
  ])("hide elements by CSS only: %s", async (path, color) => {
    const delay = path === "/late.html" ? { delay: 600 } : {};
    expect((await load(path, delay)).color).toEqual(RED);
    expect((await load(path, { ...delay, blockAds: true })).color).toEqual(color);
    expect((await load(path, { ...delay, blockTrackers: true })).color).toEqual(RED);
  });

  it("hide elements on a page with more distinct links than fit in a message", async () => {
    expect((await load("/many-links.html", { blockAds: true })).color).toEqual(WHITE);
  });

  it("apply to PDFs", async () => {
    const url = site.url("page.test", "/page.html");
    expect((await renderer.render(pdf(url, { blockAds: true }))).notes).toEqual(["blocked=3"]);
  });
});

it("limits the time spent on a page whose URLs make filters slow", async () => {
  const events: RendererEvent[] = [];
  const ads = "/(a+)+b$/\n*a*a*a*a*a*a*a*a*a*c\n||ads.test^";
  const slow = openRenderer([site.port], {
    resolver: site.resolver,
    filterLists: { ads },
    onEvent: (event) => events.push(event),
  });
  const url = site.url("page.test", "/slow.html");
  const parameters = screenshot(url, { blockAds: true, waitUntil: "networkidle0" });
  const file = await slow.render(parameters, { requestId: "request-1" });
  expect(file.targetStatus).toBe(200);
  expect(events.filter(({ type }) => type.startsWith("filters"))).toEqual([
    { type: "filters-skipped", count: 1, filters: ["/(a+)+b$/"] },
    { type: "filters-too-slow", requestId: "request-1" },
  ]);
  await slow.close();
});

describe("a renderer", () => {
  it("reports its filter lists, and rejects blockAds without a list for ads", async () => {
    expect(renderer.filterLists).toEqual(["ads", "trackers"]);
    const partial = openRenderer([site.port], { filterLists: { trackers: TRACKERS } });
    expect(partial.filterLists).toEqual(["trackers"]);
    const render = partial.render(screenshot(site.url("page.test", "/page.html"), { blockAds: true }));
    const { code, errors } = await errorOf(render);
    expect(code).toBe("validation_failed");
    expect(errors).toEqual({
      blockAds: [
        "requires filter lists for ads, which are not installed; the operator must set SNAP_FILTER_LISTS (or filterLists, for an embedded renderer)",
      ],
    });
    await partial.close();
  });

  it.each([
    ["", "filterLists.ads is empty"],
    ["<!doctype html><p>not found", "filterLists.ads is a web page or XML, not a filter list"],
  ])("rejects text that is not a filter list: %j", (ads, message) => {
    expect(() => openRenderer([], { filterLists: { ads } })).toThrow(new RangeError(message));
  });
});
