// @module-tag browser

import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { PDFDocument } from "pdf-lib";
import { connect, type CDPSession, type Protocol } from "puppeteer";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { AnimatedImages } from "../../src/puppeteer/page/prepare/animated-images.ts";
import { stabilize } from "../../src/puppeteer/page/prepare/stabilize.ts";
import { PageProgress } from "../../src/puppeteer/page/page-progress.ts";
import type { Tab } from "../../src/puppeteer/page/tab.ts";
import { readPng } from "./image.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { allowBothSites, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const WHITE = [255, 255, 255, 255];

/** Loops through a red and a blue frame of one pixel, 20 ms each. */
const GIF = Buffer.from(
  "47494638396101000100910000ff00000000ff000000000000" + // a red and a blue color
    "21ff0b4e45545343415045322e300301000000" + // forever
    "21f9040002000000" +
    "2c00000000010001000002024401" +
    "00" + // red
    "21f9040002000000" +
    "2c00000000010001000002024c01" +
    "00" + // blue
    "3b",
  "hex",
);
/** The same frames as a WebP image. */
const WEBP = Buffer.from(
  "UklGRnwAAABXRUJQVlA4WAoAAAACAAAAAAAAAAAAQU5JTQYAAAAAAAAAAABBTk1GJAAAAAAAAAAAAAAAAAAAABQAAABW" +
    "UDhMDAAAAC8AAAAAKED/C9D/AEFOTUYkAAAAAAAAAAAAAAAAAAAAFAAAAFZQOEwMAAAALwAAAAAoQAH63/8A",
  "base64",
);
/** A red WebP image in the extended format, like most photos with metadata. */
const STILL_WEBP = Buffer.from(
  "UklGRjYAAABXRUJQVlA4WAoAAAAEAAAAAAAAAAAAVlA4TAwAAAAvAAAAAChA/wvQ/wBYTVAgBAAAAAAAAAA=",
  "base64",
);
/** A VP8 video that is red for a fifth of a second, then blue. */
const VIDEO = readFileSync(new URL("../fixtures/pages/video.webm", import.meta.url));

const KEYFRAMES = "@keyframes redden { from { background: blue } to { background: red } }";
const BOX = "display:block;width:100px;height:100px";
const send = (type: string, body: Buffer) => (_request: unknown, response: ServerResponse) =>
  void response.setHeader("content-type", type).end(body);

let site: Site;
let renderer: Renderer;

/** Pages whose pixel at 50, 50 is red once they are stable, although most are blue until then. */
const PAGES: Readonly<Record<string, string>> = {
  "/animation-that-ends": `<style>${KEYFRAMES}</style><body style="animation:redden 60s both">`,
  "/spinner":
    "<style>@keyframes spin { from { background: red } to { background: blue } }</style><body style='animation:spin .05s infinite'>",
  "/transition": `<body style="background:blue;transition:background 60s"><script>onload = () => { document.body.style.background = "red" }</script>`,
  "/web-animation": `<body><script>document.body.animate({ background: ["blue", "red"] }, { duration: 60000, fill: "both" })</script>`,
  "/next-after-the-end": `<body><script>
    document.body.animate({ background: ["blue", "blue"] }, 60000).onfinish = () => { document.body.style.background = "red" }
  </script>`,
  "/svg": `<body style="margin:0"><svg width=100 height=100><rect width=100 height=100 fill=blue><animate attributeName=fill to=red dur=60s fill=freeze /></rect></svg>`,
  "/shadow": `<body style="margin:0"><div id=host></div><script>
    document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML =
      "<style>${KEYFRAMES}</style><i style='${BOX};animation:redden 60s both'></i>";
  </script>`,
  "/frame":
    "<body style='margin:0'><iframe src=/animation-that-ends width=100 height=100 style='border:0'></iframe>",
  "/gif": `<body style="margin:0"><img src=/a.gif style="${BOX}">`,
  "/gif-with-fragment": `<body style="margin:0"><img src="/a.gif#part" style="${BOX}">`,
  "/webp": `<body style="margin:0"><img src=/a.webp style="${BOX}">`,
  "/inlined-webp": `<body style="margin:0"><img src="data:image/webp;base64,${WEBP.toString("base64")}" style="${BOX}">`,
  "/inlined-gif": `<body style="margin:0"><img src="data:image/gif;base64,${GIF.toString("base64")}" style="${BOX}">`,
};

beforeAll(async () => {
  site = await openSite({
    ...PAGES,
    "/images": `<img src=/a.gif><img src=/a.webp><img src=/still.webp><img src="data:image/gif;base64,${GIF.toString("base64")}">
      <iframe srcdoc="<img src=/a.gif?in-frame>"></iframe>`,
    "/video": `<body style="margin:0"><video src=/video.webm autoplay muted loop style="${BOX}"></video>`,
    "/other-site": `<body style="margin:0"><script>
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.style.cssText = "border:0;width:100px;height:100px";
      frame.src = location.href.replace("127.0.0.1", "localhost").replace("other-site", "animation-that-ends");
    </script>`,
    "/caret": `<body style="margin:0"><input autofocus style="width:200px;height:100px;border:0;outline:0;font-size:80px;caret-color:red">`,
    "/masked-gif": `<body style="margin:0"><img src=/a.gif style="${BOX}">`,
    "/selectors": `<style>img + p { color: red } p { color: blue } img { float: right; width: 30%; border: 5px solid }</style>
      <img src=/a.gif alt=""><p style="font:100px monospace">&#x2588;`,
    "/changes": `<body><script>let i = 0; setInterval(() => { document.body.style.background = "rgb(0,0," + (i++ % 255) + ")" }, 5)</script>`,
    "/changes-and-is-tall": `<style>body{margin:0}div{height:4000px;background:red}</style><p id=ticker>0</p><div></div>
      <div style="background:green"></div><script>setInterval(() => { ticker.textContent = performance.now() }, 5)</script>`,
    "/tall-in-the-end": `<body><script>
      document.body.animate({ background: ["blue", "blue"] }, 60000).onfinish = () => { document.body.style.height = "4000px" }
    </script>`,
    "/no-font": `<body style="margin:0"><style>@font-face { font-family: never; src: url(/never) }
      p { font: 100px never, monospace; margin: 0; color: red }</style><p>&#x2588;`,
    "/never": () => {},
    "/a.gif": send("image/gif", GIF),
    "/a.webp": send("image/webp", WEBP),
    "/still.webp": send("image/webp", STILL_WEBP),
    "/video.webm": send("video/webm", VIDEO),
  });
  renderer = openRenderer([], { targets: allowBothSites(site.port) });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function pixel(
  path: string,
  options: object = {},
): Promise<{ color: number[]; notes: readonly string[] }> {
  const parameters = screenshot(site.url(path), { stabilize: true, width: 300, height: 200, ...options });
  const { bytes, notes } = await renderer.render(parameters);
  return { color: readPng(bytes).pixel(50, 50), notes };
}

describe("stabilize", () => {
  it.each(Object.keys(PAGES))("captures %s in its stable state", async (path) => {
    expect(await pixel(path)).toEqual({ color: RED, notes: [] });
  });

  it("shows the first frame of a video that plays", async () => {
    const { color, notes } = await pixel("/video");
    // VP8 is lossy
    expect(color).toEqual([254, 0, 4, 255]);
    expect(notes).toEqual([]);
  });

  it("includes out-of-process frames", async () => {
    expect(await pixel("/other-site", { delay: 300 })).toEqual({ color: RED, notes: [] });
  });

  it("works without JavaScript", async () => {
    expect(await pixel("/animation-that-ends", { javascript: false })).toEqual({ color: RED, notes: [] });
  });

  it("does not change the layout or the matching selectors of a page with a GIF", async () => {
    const before = readPng((await renderer.render(screenshot(site.url("/selectors")))).bytes);
    const after = readPng(
      (await renderer.render(screenshot(site.url("/selectors"), { stabilize: true }))).bytes,
    );
    expect([after.width, after.height]).toEqual([before.width, before.height]);
    for (const [x, y] of [
      [30, 60],
      [880, 10],
      [870, 10],
      [1268, 380],
    ] as const)
      expect([x, y, after.pixel(x, y)]).toEqual([x, y, before.pixel(x, y)]);
  });

  it.each([{}, { selector: "img" }])("does not uncover a masked GIF: %o", async (options) => {
    const masked = { mask: "img", maskColor: "#00ff00", stabilize: true, ...options };
    const { bytes } = await renderer.render(screenshot(site.url("/masked-gif"), masked));
    const { width, pixel: colorAt } = readPng(bytes);
    expect([width, colorAt(50, 50)]).toEqual(["selector" in options ? 100 : 1280, [0, 255, 0, 255]]);
  });

  it("hides the caret", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/caret"), { stabilize: true }));
    const image = readPng(bytes);
    for (let x = 0; x < 20; x += 1) expect(image.pixel(x, 50)).toEqual(WHITE);
  });

  it("adds the note unstable if captures do not match within 3 seconds", async () => {
    const { notes } = await pixel("/changes");
    expect(notes).toEqual(["unstable"]);
  });

  it("captures all of a full page that is still changing", async () => {
    const parameters = screenshot(site.url("/changes-and-is-tall"), { stabilize: true, fullPage: true });
    const { bytes, notes } = await renderer.render(parameters);
    const image = readPng(bytes);
    expect(notes).toEqual(["unstable"]);
    expect([image.pixel(700, 3000), image.pixel(700, 7000)]).toEqual([RED, [0, 128, 0, 255]]);
  });

  it("prints a stable page", async () => {
    const { bytes, notes } = await renderer.render(pdf(site.url("/tall-in-the-end"), { stabilize: true }));
    expect((await PDFDocument.load(bytes)).getPageCount()).toBeGreaterThan(1);
    expect(notes).toEqual([]);
  });

  it("makes ten renders in three browsers byte-identical", async () => {
    const browsers = Array.from({ length: 3 }, () => openRenderer([site.port]));
    const files: Buffer[] = [];
    for (let i = 0; i < 10; i += 1) {
      const path = "/frame";
      const parameters = screenshot(site.url(path), { stabilize: true, fullPage: true, waitUntil: "load" });
      const browser = browsers[i % browsers.length];
      if (browser !== undefined) files.push(Buffer.from((await browser.render(parameters)).bytes));
    }
    await Promise.all(browsers.map((browser) => browser.close()));
    expect(files.map((file) => Buffer.compare(file, files[0] ?? file))).toEqual(Array.from(files, () => 0));
  });
});

describe("animated images", () => {
  async function openSession(path: string): Promise<CDPSession> {
    const { webSocketUrl } = await startRemoteBrowser({ args: [] });
    const browser = await connect({ browserWSEndpoint: webSocketUrl });
    onTestFinished(() => browser.disconnect());
    const page = await browser.newPage();
    await page.goto(site.url(path));
    const session = await page.createCDPSession();
    await session.send("Page.enable");
    return session;
  }

  it("are found in each frame, except inlined ones, and no file is inspected twice", async () => {
    const session = await openSession("/images");
    const { frame, childFrames = [] } = (await session.send("Page.getFrameTree")).frameTree;
    const sent = vi.spyOn(session, "send");
    const images = new AnimatedImages();
    for (let pass = 0; pass < 2; pass += 1)
      await images.find({ frameSessions: new Set([session]) }, new AbortController().signal);
    expect(images.urlsIn(frame.id).toSorted()).toEqual([site.url("/a.gif"), site.url("/a.webp")]);
    expect(childFrames.map((child) => images.urlsIn(child.frame.id))).toEqual([
      [site.url("/a.gif?in-frame")],
    ]);
    const searchedUrls = sent.mock.calls.flatMap(([, parameters]) =>
      parameters !== undefined && "query" in parameters && "url" in parameters ? [parameters.url] : [],
    );
    expect(searchedUrls).toHaveLength(2);
    expect(new Set(searchedUrls)).toEqual(new Set([site.url("/a.webp"), site.url("/still.webp")]));
  });

  it("are no longer searched for once the render is aborted", async () => {
    const session = await openSession("/images");
    const sent = vi.spyOn(session, "send");
    const found = new AnimatedImages().find(
      { frameSessions: new Set([session]) },
      AbortSignal.abort(new Error("aborted")),
    );
    await expect(found).rejects.toThrow("aborted");
    expect(sent.mock.calls.map(([command]) => command)).toEqual(["Page.getResourceTree"]);
  });
});

describe("without stabilize,", () => {
  it("an animation is captured at an arbitrary point", async () => {
    expect((await pixel("/animation-that-ends", { stabilize: false })).color).not.toEqual(RED);
  });
});

describe("fonts", () => {
  const requestsOf = (path: string): number =>
    site.requests.filter((request) => request === `GET ${path}`).length;

  it("are awaited, for at most 2 seconds, if a parameter that changes the page's appearance is sent", async () => {
    expect((await pixel("/no-font", { stabilize: false, waitUntil: "domcontentloaded" })).color).toEqual(
      WHITE,
    );
    const { color, notes } = await pixel("/no-font", {
      stabilize: false,
      waitUntil: "domcontentloaded",
      reducedMotion: true,
    });
    expect({ color, notes }).toEqual({ color: RED, notes: [] });
    expect(requestsOf("/never")).toBe(2);
  });
});

it("a draft capture for a PDF is retried if the page navigates and Chromium never completes it", async () => {
  const progress = new PageProgress("main");
  const session = Object.assign(new EventEmitter(), { id: () => "session" }) as unknown as CDPSession;
  progress.follow(session, "main");
  const captureScreenshot = vi.fn<Tab["channel"]["captureScreenshot"]>((_request, signal) => {
    if (captureScreenshot.mock.calls.length > 1) return Promise.resolve(Uint8Array.of(1));
    const frame = { id: "main", loaderId: "next", url: "https://example.com/" };
    session.emit("Page.frameNavigated", { frame } as Protocol.Page.FrameNavigatedEvent);
    return new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  });
  const tab = { progress, channel: { captureScreenshot }, frameSessions: new Set() } as unknown as Tab;
  const parameters = pdf("https://example.com/", { stabilize: true });
  const changes = { beforeLoad: false, hasAny: true };
  const page = { tab, parameters, changes, filterLists: [], document: undefined, maxBytes: 1_000 };
  await expect(stabilize(page, AbortSignal.timeout(10_000))).resolves.toEqual([]);
});
