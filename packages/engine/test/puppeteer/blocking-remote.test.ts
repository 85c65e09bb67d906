// @module-tag browser

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { PuppeteerRendererOptions } from "../../src/puppeteer/index.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { BLOCKING_PAGES } from "./blocking-pages.ts";
import { openRecordingSite, type RecordingSite } from "./recording-site.ts";
import { openInterceptor } from "./interceptor.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { openRenderer, screenshot } from "./setup.ts";

/** The commands of probes and of the end of the previous render. */
const NOT_OF_THE_RENDER = new Set(["Browser.getVersion", "Target.disposeBrowserContext"]);

let site: RecordingSite;

beforeAll(async () => {
  site = await openRecordingSite({ ...BLOCKING_PAGES, "/plain.html": "<h1>plain</h1>" });
});

afterAll(() => site.close());

function open(options: PuppeteerRendererOptions): Renderer {
  const renderer = openRenderer([site.port], { resolver: site.resolver, ...options });
  onTestFinished(() => renderer.close());
  return renderer;
}

it("blocks hosts in a remote browser that connects directly", async () => {
  const { webSocketUrl } = await startRemoteBrowser({ args: ["--host-resolver-rules=MAP * 127.0.0.1"] });
  const renderer = open({ browserUrls: [webSocketUrl], browserEgress: "direct" });
  const render = async (path: string, blockUrls: string): Promise<readonly string[]> => {
    const url = site.url("page.test", `${path}?test=${path}`);
    return (await renderer.render(screenshot(url, { waitUntil: "networkidle0", blockUrls }))).notes;
  };
  expect(await render("/hosts.html", "ads.test")).toEqual(["blocked=4"]);
  expect(site.received("/hosts.html")).toEqual([
    "cdn.ads.test/3.png",
    "fine.test/4.png",
    "page.test/hosts.html",
  ]);
  expect(await render("/own.html", "page.test")).toEqual(["blocked=3"]);
  expect(site.received("/own.html")).toEqual(["fine.test/8.png", "page.test/own.html"]);
  await render("/sockets.html", "fine.test");
  // a remote browser's shared workers are not watched, so their WebSockets are not blocked
  expect(site.received("/sockets.html").filter((text) => text.startsWith("ws:"))).toEqual([
    "ws:fine.test/shared",
  ]);
});

it("blocking hosts through the proxy adds only Network.enable and the wait for fonts", async () => {
  const { webSocketUrl } = await startRemoteBrowser();
  const commands: string[] = [];
  const url = await openInterceptor(webSocketUrl, ({ method }) => {
    if (method !== undefined) commands.push(method);
  });
  const renderer = open({ browserUrls: [url], warmContexts: 0 });
  const commandsOf = async (blockUrls?: string): Promise<readonly string[]> => {
    commands.length = 0;
    await renderer.render(screenshot(site.url("page.test", "/plain.html"), { blockUrls }));
    return commands.filter((method) => !NOT_OF_THE_RENDER.has(method)).toSorted();
  };
  await commandsOf();
  const plain = await commandsOf();
  expect(plain).toContain("Page.captureScreenshot");
  const fonts = ["Page.createIsolatedWorld", "Runtime.evaluate"];
  expect(await commandsOf("ads.test,*.ads.test")).toEqual([...plain, ...fonts, "Network.enable"].toSorted());
  expect(await commandsOf("https://ads.test/*")).toContain("Fetch.enable");
});
