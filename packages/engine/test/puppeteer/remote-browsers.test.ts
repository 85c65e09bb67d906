// @module-tag browser

import { createMemoryStorage } from "@snap/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createEngine } from "../../src/create-engine.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { systemResolver } from "../../src/egress/names/system-resolver.ts";
import type { PuppeteerRendererOptions, RendererEvent } from "../../src/puppeteer/index.ts";
import { readPng, readWebpSize } from "./image.ts";
import { openInterceptor } from "./interceptor.ts";
import { startRemoteBrowser, type RemoteBrowser } from "./remote-browser.ts";
import { allowPorts, failureOf, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

let site: Site;
let image: Uint8Array | null = null;
/** User agents of the requests for `/`. */
const agents: string[] = [];
let duringHeld: (() => Promise<void>) | null = null;
let onReplaced = (): void => {};

beforeAll(async () => {
  site = await openSite({
    "/": (request, response) => {
      agents.push(request.headers["user-agent"] ?? "");
      response.setHeader("content-type", "text/html").end("<body style='background:#00a000'>green");
    },
    "/held": (_request, response) => {
      const respond = (): void => void response.setHeader("content-type", "text/html").end("<h1>held</h1>");
      if (duringHeld === null) respond();
      else void duringHeld().then(respond);
    },
    "/image": (_request, response) => void response.setHeader("content-type", "image/webp").end(image),
    "/shows-image": "<body style='margin:0'><img src='/image'>",
    "/secret": "<p>secret</p>",
    "/next-secret": "<p>secret</p><img src='/replaced'>",
    "/replaced": (_request, response) => {
      response.writeHead(404).end();
      onReplaced();
    },
  });
});

afterAll(() => site.close());

interface Fixture {
  readonly renderer: Renderer;
  readonly events: RendererEvent[];
}

function open(urls: readonly string[], options: PuppeteerRendererOptions = {}): Fixture {
  const events: RendererEvent[] = [];
  const onEvent = (event: RendererEvent): void => void events.push(event);
  const renderer = openRenderer([site.port], { browserUrls: urls, warmContexts: 1, onEvent, ...options });
  onTestFinished(() => renderer.close());
  return { renderer, events };
}

/** Injects `fault` during the first load of `/held`, which never completes. */
function duringFirstLoad(fault: () => Promise<void>): void {
  let isFirst = true;
  duringHeld = async () => {
    if (!isFirst) return;
    isFirst = false;
    await fault();
    await new Promise<never>(() => {});
  };
}

describe("a remote browser", () => {
  it("renders PNG, WebP and PDF, and is reported when it connects", async () => {
    const remote = await startRemoteBrowser();
    const { renderer, events } = open([remote.webSocketUrl]);
    expect(await renderer.health()).toEqual({ ready: true, reason: null });
    const png = await renderer.render(screenshot(site.url("/"), { width: 300, height: 200 }));
    expect(readPng(png.bytes)).toMatchObject({ width: 300, height: 200 });
    expect(readPng(png.bytes).pixel(150, 100)).toEqual([0, 160, 0, 255]);
    expect(png.targetStatus).toBe(200);

    const webp = await renderer.render(
      screenshot(site.url("/"), { width: 300, height: 200, format: "webp", quality: 100 }),
    );
    expect(readWebpSize(webp.bytes)).toEqual({ width: 300, height: 200 });
    image = webp.bytes;
    const shown = await renderer.render(screenshot(site.url("/shows-image"), { width: 300, height: 200 }));
    const [red = 255, green = 0, blue = 255] = readPng(shown.bytes).pixel(150, 100);
    expect(Math.max(red, Math.abs(green - 160), blue)).toBeLessThan(6);

    const file = await renderer.render(pdf(site.url("/")));
    expect(Buffer.from(file.bytes).subarray(0, 5).toString()).toBe("%PDF-");
    expect(events[0]).toMatchObject({
      type: "remote-browser-connected",
      endpoint: `ws://127.0.0.1:${remote.port}`,
      version: expect.stringMatching(/Chrome\/\d+/) as string,
      egress: "proxy",
    });
  });

  it("is found through /json/version", async () => {
    const remote = await startRemoteBrowser();
    const { renderer } = open([remote.httpUrl]);
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
  });

  it("has only its ready tabs open after fifty renders, and none after the renderer closes", async () => {
    const remote = await startRemoteBrowser();
    const { renderer } = open([remote.webSocketUrl], { warmContexts: 2 });
    const renderTenTimes = async (): Promise<void> => {
      for (let count = 0; count < 10; count += 1) await renderer.render(screenshot(site.url("/")));
    };
    await Promise.all(Array.from({ length: 5 }, renderTenTimes));
    await expect.poll(() => remote.countOpen()).toEqual({ contexts: 2, pages: 2 });
    await renderer.close();
    await expect.poll(() => remote.countOpen()).toEqual({ contexts: 0, pages: 0 });
  });

  it("serves several renderers independently", async () => {
    const remote = await startRemoteBrowser();
    const renderers = [open([remote.webSocketUrl]), open([remote.webSocketUrl]), open([remote.webSocketUrl])];
    const rendered = renderers.flatMap(({ renderer }) =>
      Array.from({ length: 5 }, () => renderer.render(screenshot(site.url("/")))),
    );
    for (const file of await Promise.all(rendered)) expect(file.targetStatus).toBe(200);
    await renderers[0]?.renderer.close();
    expect((await renderers[1]?.renderer.render(screenshot(site.url("/"))))?.targetStatus).toBe(200);
  });
});

describe("a masked page", () => {
  it("fails to render if it navigates before its capture", async () => {
    const { webSocketUrl } = await startRemoteBrowser();
    const replaced = new Promise<void>((resolve) => (onReplaced = resolve));
    const url = await openInterceptor(webSocketUrl, ({ method, sessionId }, _respond, send) => {
      if (method !== "Page.captureScreenshot" || sessionId === undefined) return;
      send({
        id: 2 ** 31 - 1,
        method: "Page.navigate",
        params: { url: site.url("/next-secret") },
        sessionId,
      });
      return replaced;
    });
    const { renderer } = open([url]);
    expect(await failureOf(renderer.render(screenshot(site.url("/secret"), { mask: "p" })))).toEqual({
      code: "render_failed",
      message: "The page navigated after its elements were masked. Send the URL that it leads to.",
    });
  });
});

describe("two remote browsers", () => {
  const named = (name: string): Promise<RemoteBrowser> =>
    startRemoteBrowser({ args: [`--user-agent=${name}`] });

  it("get the same number of renders", async () => {
    const [one, two] = await Promise.all([named("one"), named("two")]);
    const { renderer, events } = open([one.webSocketUrl, two.webSocketUrl]);
    await expect.poll(() => events.filter(({ type }) => type === "remote-browser-connected")).toHaveLength(2);
    agents.length = 0;
    const rendering = Array.from({ length: 6 }, () => renderer.render(screenshot(site.url("/"))));
    await Promise.all(rendering);
    expect(agents.filter((agent) => agent === "one")).toHaveLength(3);
    expect(agents.filter((agent) => agent === "two")).toHaveLength(3);
  });

  it("take over each other's renders if one is killed", async () => {
    const browsers = await Promise.all([startRemoteBrowser(), startRemoteBrowser()]);
    const { renderer, events } = open(browsers.map(({ webSocketUrl }) => webSocketUrl));
    await expect.poll(() => events.filter(({ type }) => type === "remote-browser-connected")).toHaveLength(2);
    // round robin starts with the second browser
    duringFirstLoad(async () => browsers[1]?.kill());
    expect((await renderer.render(screenshot(site.url("/held")))).targetStatus).toBe(200);
    expect(events.filter(({ type }) => type === "render-retried")).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "remote-browser-ended",
        endpoint: `ws://127.0.0.1:${browsers[1]?.port}`,
      }),
    );
    expect(await renderer.health()).toEqual({ ready: true, reason: null });
  });

  it("take over each other's renders if one becomes unresponsive", async () => {
    const browsers = await Promise.all([startRemoteBrowser(), startRemoteBrowser()]);
    const { renderer, events } = open(
      browsers.map(({ webSocketUrl }) => webSocketUrl),
      { probeIntervalMs: 100, probeTimeoutMs: 1_000 },
    );
    await expect.poll(() => events.filter(({ type }) => type === "remote-browser-connected")).toHaveLength(2);
    duringFirstLoad(async () => void process.kill(-(browsers[1]?.pid ?? 0), "SIGSTOP"));
    expect((await renderer.render(screenshot(site.url("/held")))).targetStatus).toBe(200);
    expect(events.map(({ type }) => type)).toContain("remote-browser-unresponsive");
  });

  it("cause upstream_error and a refund after both have exited, until one recovers", async () => {
    const browsers = await Promise.all([startRemoteBrowser(), startRemoteBrowser()]);
    const { renderer } = open(browsers.map(({ httpUrl }) => httpUrl));
    const targets = allowPorts(site.port);
    const engine = createEngine({
      storage: createMemoryStorage(),
      renderer,
      secretKey: "a key for these tests",
      resolver: systemResolver,
      targets,
    });
    const account = await engine.accounts.create({
      email: "a@example.com",
      planSlug: "starter",
      verified: true,
    });
    const principal = await engine.authenticate(
      (await engine.tokens.create({ accountId: account.id })).token,
    );
    const capture = (): Promise<unknown> =>
      engine.capture({ principal, parameters: { url: site.url("/"), waitUntil: "load", cache: false } });
    await capture();
    expect((await engine.credits(account)).used).toBe(1);

    await Promise.all(browsers.map((browser) => browser.kill()));
    await expect.poll(async () => (await renderer.health()).ready).toBe(false);
    const { reason } = await renderer.health();
    for (const { port } of browsers) expect(reason).toContain(`http://127.0.0.1:${port}`);
    await expect(capture()).rejects.toMatchObject({
      code: "upstream_error",
      status: 502,
      retryAfterSeconds: 5,
    });
    expect((await engine.credits(account)).used).toBe(1);

    await startRemoteBrowser({ port: browsers[0]?.port ?? 0 });
    await vi.waitFor(async () => expect(await renderer.health()).toEqual({ ready: true, reason: null }), {
      timeout: 40_000,
      interval: 100,
    });
    await capture();
    expect((await engine.credits(account)).used).toBe(2);
    await engine.close();
  });
});

describe("private hosts", () => {
  it.each(["proxy", "direct"] as const)("are blocked with browserEgress=%s", async (browserEgress) => {
    const forbidden = await openSite({ "/": "<h1>private</h1>" });
    onTestFinished(() => forbidden.close());
    const redirecting = await openSite({
      "/": (_request, response) => void response.writeHead(302, { location: forbidden.url("/") }).end(),
      "/page": `<img src="${forbidden.url("/image")}"><script>fetch("${forbidden.url("/fetch")}", { mode: "no-cors" })</script>`,
    });
    onTestFinished(() => redirecting.close());
    const remote = await startRemoteBrowser(browserEgress === "direct" ? { args: [] } : {});
    const { renderer } = open([remote.webSocketUrl], {
      browserEgress,
      targets: allowPorts(redirecting.port),
    });
    for (const url of [forbidden.url("/"), redirecting.url("/"), `http://[::1]:${forbidden.port}/`]) {
      expect((await failureOf(renderer.render(screenshot(url)))).code).toBe("blocked_host");
    }
    const page = await renderer.render(screenshot(redirecting.url("/page"), { waitUntil: "networkidle0" }));
    expect(page.targetStatus).toBe(200);
    expect(forbidden.requests).toEqual([]);
  });
});

describe("close", () => {
  it("aborts running renders, and leaves no pages in the browser", async () => {
    const remote = await startRemoteBrowser();
    const { renderer } = open([remote.webSocketUrl]);
    await renderer.health();
    const running = failureOf(renderer.render(screenshot(site.url("/"), { delay: 10_000 })));
    await renderer.close();
    expect((await running).code).toBe("upstream_error");
    expect(await renderer.health()).toEqual({ ready: false, reason: "closed" });
    await expect.poll(() => remote.countOpen()).toEqual({ contexts: 0, pages: 0 });
  });
});
