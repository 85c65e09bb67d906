// @module-tag browser

import { connect, type Page } from "puppeteer";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { Tab } from "../../src/puppeteer/page/tab.ts";
import { freezeLengths } from "../../src/puppeteer/page/viewport-lengths.ts";
import { readPng } from "./image.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { allowBothSites, openRenderer, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const BLUE = [0, 0, 255, 255];
const WHITE = [255, 255, 255, 255];

/** A still image of one red pixel. */
const GIF = Buffer.from("R0lGODlhAQABAJEAAP8AAAAA/wAAAAAAACwAAAAAAQABAAACAkQBADs=", "base64");

/** Two frames from another site below the viewport, and parts that depend on the viewport's height. */
const PAGE = `<!doctype html><style>
    body { margin: 0 } iframe { display: block; border: 0; width: 400px; height: 200px }
    header { height: 100vh; background: green; transition: all 60s } footer { position: fixed; bottom: 0; left: 600px; width: 100px; height: 40px; background: blue }
    nav { position: fixed; left: 800px; top: 0; width: 100px; height: 100%; background: blue }
    i, img { position: absolute; top: 0; width: 50px; height: 50px } i { left: 50vh; transform: translateY(10vh); background: blue }
  </style>
  <header></header><iframe class=first></iframe><div style="height:2000px"></div><iframe class=last></iframe>
  <footer></footer><nav></nav><i></i><img src=/a.gif>
  <script>
    for (const frame of document.querySelectorAll("iframe"))
      frame.src = location.href.replace("127.0.0.1", "localhost").replace("page", "inner");
    addEventListener("resize", () => { document.body.innerHTML = "resized"; });
  </script>`;

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/page": PAGE,
    "/inner": "<body style='margin:0;background:red'>",
    "/sandboxed": `<body style="margin:0"><iframe sandbox src=/gif style="border:0"></iframe>`,
    "/embedded": `<!doctype html><body style="margin:0"><div style="height:2000px"></div>
      <object type="text/html" width=200 height=100></object><embed type="text/html" width=200 height=100><script>
        const url = location.href.replace("127.0.0.1", "localhost").replace("embedded", "inner");
        document.querySelector("object").data = document.querySelector("embed").src = url;
      </script>`,
    "/wide": `<!doctype html><body style="margin:0"><div style="height:3000px"></div><iframe style="border:0;width:400px;height:200px;display:block"></iframe><script>
        document.querySelector("iframe").src = location.href.replace("127.0.0.1", "localhost").replace("wide", "inner");
      </script>`,
    "/rounded": `<!doctype html><body style="margin:0"><div style="height:605px"></div><iframe style="border:0;width:400px;height:200px;display:block"></iframe><script>
        document.querySelector("iframe").src = location.href.replace("127.0.0.1", "localhost").replace("rounded", "inner");
      </script>`,
    "/clipped": `<!doctype html><body style="margin:0"><div style="height:900px;overflow:hidden">
        <div style="height:2000px"></div><iframe></iframe></div><script>
        document.querySelector("iframe").src = location.href.replace("127.0.0.1", "localhost").replace("clipped", "inner");
      </script>`,
    "/gif": `<body style="margin:0"><img src=/a.gif width=50 height=50>`,
    "/a.gif": (_request, response) => void response.setHeader("content-type", "image/gif").end(GIF),
  });
  renderer = openRenderer([], { targets: allowBothSites(site.port) });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

describe.concurrent("frames from another site below the viewport", () => {
  it("appear in a full-page screenshot without changing its layout", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/page"), { fullPage: true }));
    const { width, height, pixel } = readPng(bytes);
    expect([width, height]).toEqual([1280, 3200]);
    expect([pixel(100, 810), pixel(100, 990), pixel(100, 3010), pixel(100, 3190)]).toEqual([
      RED,
      RED,
      RED,
      RED,
    ]);
    expect([pixel(100, 799), pixel(500, 801)]).toEqual([GREEN, WHITE]);
    expect([pixel(650, 759), pixel(650, 761), pixel(650, 799), pixel(650, 801)]).toEqual([
      GREEN,
      BLUE,
      BLUE,
      WHITE,
    ]);
    expect([pixel(850, 799), pixel(850, 801)]).toEqual([BLUE, WHITE]);
    expect([pixel(401, 81), pixel(448, 128), pixel(399, 81), pixel(401, 79)]).toEqual([
      BLUE,
      BLUE,
      GREEN,
      GREEN,
    ]);
  });

  it("appear in a stabilized page, whose images stay visible", async () => {
    const options = { fullPage: true, stabilize: true };
    const { bytes } = await renderer.render(screenshot(site.url("/page"), options));
    const { pixel } = readPng(bytes);
    expect([pixel(25, 25), pixel(100, 990)]).toEqual([RED, RED]);
  });

  it("can be captured by selector and clip", async () => {
    const selected = await renderer.render(screenshot(site.url("/page"), { selector: ".last" }));
    expect(readPng(selected.bytes)).toMatchObject({ width: 400, height: 200 });
    expect(readPng(selected.bytes).pixel(200, 100)).toEqual(RED);
    const clip = { clipX: 0, clipY: 900, clipWidth: 100, clipHeight: 100 };
    const clipped = await renderer.render(screenshot(site.url("/page"), clip));
    expect(readPng(clipped.bytes).pixel(50, 50)).toEqual(RED);
  });

  it("do not lengthen a mobile page that is wider than the viewport", async () => {
    const options = { fullPage: true, mobile: true, width: 490, height: 400 };
    const { bytes } = await renderer.render(screenshot(site.url("/wide"), options));
    const { width, height, pixel } = readPng(bytes);
    expect([width, height]).toEqual([980, 3200]);
    expect([pixel(100, 2990), pixel(100, 3010), pixel(100, 3190)]).toEqual([WHITE, RED, RED]);
  });

  it("do not add a row of pixels to a page that ends with a frame", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/rounded"), { fullPage: true }));
    expect(readPng(bytes)).toMatchObject({ width: 1280, height: 805 });
  });

  it("do not lengthen a page that clips them", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/clipped"), { fullPage: true }));
    expect(readPng(bytes)).toMatchObject({ width: 1280, height: 900 });
  });

  it("can be objects and embeds", async () => {
    const options = { fullPage: true, waitUntil: "networkidle0" } as const; // their documents do not delay the load event
    const { bytes } = await renderer.render(screenshot(site.url("/embedded"), options));
    const { pixel } = readPng(bytes);
    expect([pixel(100, 2050), pixel(300, 2050)]).toEqual([RED, RED]);
  });

  it("can be masked individually", async () => {
    const masked = { fullPage: true, mask: ".first", maskColor: "#00ff00" };
    const { bytes } = await renderer.render(screenshot(site.url("/page"), masked));
    const { pixel } = readPng(bytes);
    expect([pixel(100, 900), pixel(100, 3100)]).toEqual([[0, 255, 0, 255], RED]);
  });
});

it("images in a stabilized frame without scripts stay visible", async () => {
  const { bytes } = await renderer.render(screenshot(site.url("/sandboxed"), { stabilize: true }));
  expect(readPng(bytes).pixel(25, 25)).toEqual(RED);
});

/** Opens a page, and returns its tab with only the properties that `freezeLengths` uses. */
async function openTab(): Promise<{ readonly page: Page; readonly tab: Tab }> {
  const { webSocketUrl } = await startRemoteBrowser({ args: [] });
  const browser = await connect({ browserWSEndpoint: webSocketUrl });
  onTestFinished(() => browser.disconnect());
  const page = await browser.newPage();
  const session = await page.createCDPSession();
  const mainFrameId = (await session.send("Page.getFrameTree")).frameTree.frame.id;
  return { page, tab: { session, mainFrameId } as Partial<Tab> as Tab };
}

const SCREEN = { screenWidth: 800, screenHeight: 600 };
const FINAL = { width: 800, height: 600, ...SCREEN, deviceScaleFactor: 1, mobile: false };
const VIEWPORTS = { final: FINAL, other: { ...FINAL, height: 1200 }, pinsFixedElements: true };

it("lengths are not frozen in a document that has replaced the measured one", async () => {
  const { page, tab } = await openTab();
  const send = tab.session.send.bind(tab.session);
  const sent = vi.spyOn(tab.session, "send").mockImplementation(async (command, ...parameters) => {
    const changes = sent.mock.calls.filter(([name]) => name === "Emulation.setDeviceMetricsOverride");
    if (command === "Emulation.setDeviceMetricsOverride" && changes.length === 2)
      await page.goto(site.url("/gif"));
    return send(command, ...parameters);
  });
  expect(await freezeLengths(tab, VIEWPORTS, AbortSignal.timeout(10_000))).toBe(false);
});

it("a position that an animation changes is not frozen", async () => {
  const { page, tab } = await openTab();
  const move = "@keyframes move { to { transform: translateX(500px) } }";
  await page.setContent(`<style>${move} p { animation: move 9s infinite }</style><p>moves`);
  await page.waitForFunction("new DOMMatrix(getComputedStyle(document.querySelector('p')).transform).e > 9");
  expect(await freezeLengths(tab, VIEWPORTS, AbortSignal.timeout(10_000))).toBe(false);
  await page.setContent(`<p style="transform: translateY(10vh)">stays`);
  expect(await freezeLengths(tab, VIEWPORTS, AbortSignal.timeout(10_000))).toBe(true);
});
