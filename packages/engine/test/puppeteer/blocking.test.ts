// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { openRecordingSite, type RecordingSite } from "./recording-site.ts";
import { BLOCKING_PAGES } from "./blocking-pages.ts";
import { openRenderer, pdf, screenshot, type ScreenshotOptions } from "./setup.ts";

let site: RecordingSite;
let renderer: Renderer;
let tests = 0;

beforeAll(async () => {
  site = await openRecordingSite(BLOCKING_PAGES);
  renderer = openRenderer([site.port], { resolver: site.resolver });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

interface Loaded {
  readonly notes: readonly string[];
  /** The requests and WebSockets that the site received. */
  readonly received: readonly string[];
}

/** Renders a page once its network is idle. */
async function load(path: string, options: ScreenshotOptions): Promise<Loaded> {
  const test = String((tests += 1));
  const url = site.url("page.test", `${path}${path.includes("?") ? "&" : "?"}test=${test}`);
  const { notes } = await renderer.render(screenshot(url, { waitUntil: "networkidle0", ...options }));
  return { notes, received: site.received(test) };
}

describe.concurrent("blockUrls with hosts", () => {
  it("blocks nothing by default", async () => {
    expect(await load("/hosts.html", {})).toEqual({
      notes: [],
      received: [
        "ads.test/1.png",
        "ads.test/2.png",
        "ads.test/5.js",
        "ads.test/6.html",
        "cdn.ads.test/3.png",
        "fine.test/4.png",
        "page.test/hosts.html",
      ],
    });
  });

  it.each([
    ["ads.test", ["cdn.ads.test/3.png", "fine.test/4.png"], "blocked=4"],
    [
      "*.ads.test",
      ["ads.test/1.png", "ads.test/2.png", "ads.test/5.js", "ads.test/6.html", "fine.test/4.png"],
      "blocked=1",
    ],
    ["ads.test,*.ads.test", ["fine.test/4.png"], "blocked=5"],
  ])("blocks %s and counts its requests", async (blockUrls, received, note) => {
    expect(await load("/hosts.html", { blockUrls })).toEqual({
      received: [...received, "page.test/hosts.html"],
      notes: [note],
    });
  });

  it("blocks only the given port", async () => {
    const { notes } = await load("/hosts.html", { blockUrls: `ads.test:${site.port},fine.test:81` });
    expect(notes).toEqual(["blocked=4"]);
  });

  it("blocks requests from frames in other processes and from workers, and WebSockets", async () => {
    expect(await load("/everywhere.html", { blockUrls: "ads.test" })).toEqual({
      received: [
        "fine.test/frame.html",
        "page.test/everywhere.html",
        "page.test/shared.js",
        "page.test/worker.js",
      ],
      notes: ["blocked=8"],
    });
  });

  it("blocks redirects to the host", async () => {
    const { notes, received } = await load("/redirected-image.html", { blockUrls: "ads.test" });
    expect(received).toEqual(["fine.test/hop.png", "page.test/redirected-image.html"]);
    expect(notes).toEqual(["blocked=1"]);
  });

  it("also applies to PDFs", async () => {
    const test = String((tests += 1));
    const { notes } = await renderer.render(
      pdf(site.url("page.test", `/hosts.html?test=${test}`), { blockUrls: "ads.test" }),
    );
    expect(notes).toEqual(["blocked=4"]);
  });
});

describe.concurrent("the page itself", () => {
  const OWN = ["fine.test/8.png", "page.test/own.html"];

  it("loads from a blocked host, but nothing else does", async () => {
    expect(await load("/own.html", { blockUrls: "page.test" })).toEqual({
      received: OWN,
      notes: ["blocked=4"],
    });
  });

  it("loads even if a pattern matches it", async () => {
    expect(await load("/own.html", { blockUrls: "http://page.test:*" })).toEqual({
      received: [...OWN, "ws:page.test/9"],
      notes: ["blocked=3"],
    });
  });

  it.each(["page.test", "*page.test*"])("loads after redirects to a blocked host: %s", async (blockUrls) => {
    const test = String((tests += 1));
    const final = encodeURIComponent(site.url("page.test", `/own.html?test=${test}`));
    const middle = encodeURIComponent(site.url("page.test", `/hop.html?test=${test}&to=${final}`));
    const url = site.url("fine.test", `/hop.html?test=${test}&to=${middle}`);
    const { notes } = await renderer.render(screenshot(url, { waitUntil: "networkidle0", blockUrls }));
    expect(site.received(test)).toEqual([
      "fine.test/8.png",
      "fine.test/hop.html",
      "page.test/hop.html",
      "page.test/own.html",
    ]);
    expect(notes).toEqual(["blocked=4"]);
  });

  it("loads even if a script or a refresh leads to a blocked host", async () => {
    for (const path of ["/script-away.html", "/refresh-away.html"]) {
      const { notes, received } = await load(path, { blockUrls: "other.test" });
      expect(received).toEqual(["fine.test/8.png", "other.test/own.html", `page.test${path}`]);
      expect(notes).toEqual(["blocked=4"]);
    }
  });

  it("loads even if it is an image and images are blocked", async () => {
    const { received } = await load("/alone.gif", { blockResources: "image,script,stylesheet,xhr" });
    expect(received).toEqual(["page.test/alone.gif"]);
  });
});

describe.concurrent("blockUrls with URL patterns", () => {
  it.each([
    [
      "*/1.png*,*5.js*",
      ["ads.test/2.png", "ads.test/6.html", "cdn.ads.test/3.png", "fine.test/4.png"],
      "blocked=2",
    ],
    ["http://ads.test:*", ["cdn.ads.test/3.png", "fine.test/4.png"], "blocked=4"],
    [
      "HTTP://ADS.test:*png?*",
      ["ads.test/5.js", "ads.test/6.html", "cdn.ads.test/3.png", "fine.test/4.png"],
      "blocked=2",
    ],
    [
      "*.png?test=none,https://*",
      [
        "ads.test/1.png",
        "ads.test/2.png",
        "ads.test/5.js",
        "ads.test/6.html",
        "cdn.ads.test/3.png",
        "fine.test/4.png",
      ],
      null,
    ],
  ])("blocks the requests that match %s", async (blockUrls, received, note) => {
    expect(await load("/hosts.html", { blockUrls })).toEqual({
      received: [...received, "page.test/hosts.html"],
      notes: note === null ? [] : [note],
    });
  });

  it("blocks requests from frames in other processes and from workers, and WebSockets", async () => {
    expect(await load("/everywhere.html", { blockUrls: "*//ads.test*" })).toEqual({
      received: [
        "fine.test/frame.html",
        "page.test/everywhere.html",
        "page.test/shared.js",
        "page.test/worker.js",
      ],
      notes: ["blocked=8"],
    });
  });

  it.each(["ads.test", "*//ads.test*"])("blocks requests from service workers: %s", async (blockUrls) => {
    const test = String((tests += 1));
    const url = site.url("127.0.0.1", `/service.html?test=${test}`);
    const { notes } = await renderer.render(screenshot(url, { waitUntil: "networkidle0", blockUrls }));
    expect(site.received(test)).toEqual([
      "127.0.0.1/installed.js",
      "127.0.0.1/service-worker.js",
      "127.0.0.1/service.html",
    ]);
    expect(notes).toEqual(["blocked=1"]);
  });

  it("blocks redirects to a matching URL", async () => {
    const { notes, received } = await load("/redirected-image.html", { blockUrls: "*/target.png*" });
    expect(received).toEqual(["fine.test/hop.png", "page.test/redirected-image.html"]);
    expect(notes).toEqual(["blocked=1"]);
  });

  it("blocks only the WebSockets that match", async () => {
    const { notes, received } = await load("/sockets.html", { blockUrls: "*/frame?*,ws://*/nested*" });
    expect(received.filter((text) => text.startsWith("ws:"))).toEqual([
      "ws:fine.test/page",
      "ws:fine.test/shared",
      "ws:fine.test/worker",
    ]);
    expect(notes).toEqual(["blocked=2"]);
  });
});

describe.concurrent("blockResources", () => {
  const ALL = {
    image: ["fine.test/image.png", "fine.test/background.png"],
    media: ["fine.test/video.mp4"],
    font: ["fine.test/font.woff2"],
    stylesheet: ["fine.test/style.css", "fine.test/import.css"],
    script: ["fine.test/script.js", "fine.test/module.js"],
    xhr: ["fine.test/fetch.txt", "fine.test/xhr.txt", "fine.test/events.txt"],
    websocket: ["ws:fine.test/socket"],
  } as const;

  it("blocks nothing by default", async () => {
    const { received } = await load("/resources.html", {});
    expect(received).toEqual(["page.test/resources.html", ...Object.values(ALL).flat()].toSorted());
  });

  it.each(Object.keys(ALL) as (keyof typeof ALL)[])("blocks %s", async (kind) => {
    const { notes, received } = await load("/resources.html", { blockResources: kind });
    const blocked: readonly string[] = ALL[kind];
    const gone =
      kind === "stylesheet"
        ? ["fine.test/import.css", "fine.test/style.css", "fine.test/font.woff2"]
        : blocked;
    expect(received).toEqual(
      ["page.test/resources.html", ...Object.values(ALL).flat()]
        .filter((text) => !gone.includes(text))
        .toSorted(),
    );
    expect(notes).toEqual([`blocked=${kind === "stylesheet" ? 1 : blocked.length}`]);
  });

  it("blocks WebSockets in the page, in the initial document of a frame, and in workers", async () => {
    const { notes, received } = await load("/sockets.html", { blockResources: "websocket" });
    expect(received.filter((text) => text.startsWith("ws:"))).toEqual([]);
    expect(received).toContain("page.test/closed-1006-1006-1006-1006-1006.js");
    expect(notes).toEqual(["blocked=5"]);
  });
});

describe.concurrent("a page that a service worker controls", () => {
  const render = async (options: ScreenshotOptions): Promise<Loaded & { readonly title: unknown }> => {
    const test = String((tests += 1));
    const url = site.url("127.0.0.1", `/controlled.html?test=${test}`);
    const parameters = screenshot(url, { ...options, waitForFunction: "document.title" });
    const { page, notes } = await renderer.render(parameters);
    return { title: page?.title, notes, received: site.received(test) };
  };

  it("gets the responses that the worker forwards or creates if nothing is blocked", async () => {
    const { title, received } = await render({});
    expect(title).toBe("image made style fetch worker");
    expect(received).toContain("127.0.0.1/image.gif");
    expect(received).not.toContain("127.0.0.1/made.gif");
  });

  it.each([
    [{ blockResources: "image" }, "style fetch worker", "blocked=2"],
    [{ blockResources: "stylesheet" }, "image made fetch worker", "blocked=1"],
    [{ blockResources: "xhr" }, "image made style", "blocked=2"],
    [{ blockUrls: "*/made.gif*" }, "image style fetch worker", "blocked=1"],
    [{ blockResources: "image", waitUntil: "load" }, "style fetch worker", "blocked=2"],
  ] as const)("does not get what is blocked: %j", async (options, title, note) => {
    expect(await render(options)).toMatchObject({ title, notes: [note] });
  });
});
