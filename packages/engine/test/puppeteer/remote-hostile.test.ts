// @module-tag browser

import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { openInterceptor } from "./interceptor.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { allowPorts, failureOf, openRenderer, screenshot } from "./setup.ts";
import { openSite } from "./site.ts";

const TARGET = { targetId: "t", type: "page", url: "about:blank" };

describe("an endpoint that sends malformed events", () => {
  it.each<[string, unknown]>([
    ["targetCreated without params", { method: "Target.targetCreated" }],
    ["targetCreated without targetInfo", { method: "Target.targetCreated", params: {} }],
    [
      "targetCreated without a type",
      { method: "Target.targetCreated", params: { targetInfo: { targetId: "t" } } },
    ],
    [
      "attachedToTarget without targetInfo",
      { method: "Target.attachedToTarget", params: { sessionId: "s" } },
    ],
    [
      "attachedToTarget with an invalid session id",
      { method: "Target.attachedToTarget", params: { targetInfo: TARGET, sessionId: 1 } },
    ],
    ["targetDestroyed without params", { method: "Target.targetDestroyed" }],
  ])("is disconnected, and its render is retried: %s", async (_name, message) => {
    const remote = await startRemoteBrowser();
    const site = await openSite({ "/": "<h1>fine</h1>" });
    onTestFinished(() => site.close());
    const events: RendererEvent[] = [];
    let isSent = false;
    const url = await openInterceptor(remote.webSocketUrl, ({ method, params }, respond) => {
      if (isSent || method !== "Page.navigate" || params?.["url"] !== site.url("/")) return;
      isSent = true;
      respond(message);
    });
    const renderer = openRenderer([site.port], {
      browserUrls: [url],
      onEvent: (event) => events.push(event),
    });
    onTestFinished(() => renderer.close());
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(events.map(({ type }) => type)).toContain("remote-browser-ended");
  });
});

describe("text from an endpoint", () => {
  it("is reduced to the product and version, without control characters", async () => {
    const remote = await startRemoteBrowser();
    const events: RendererEvent[] = [];
    const url = await openInterceptor(remote.webSocketUrl, ({ id, method }, respond) => {
      if (method !== "Browser.getVersion") return;
      respond({ id, result: { product: "HeadlessChrome/156.0.0.0\u001b[31m\n[ok] hunter2" } });
      return true;
    });
    const renderer = openRenderer([], { browserUrls: [url], onEvent: (event) => events.push(event) });
    onTestFinished(() => renderer.close());
    await renderer.health();
    expect(events[0]).toMatchObject({ version: "HeadlessChrome/156.0.0.0" });
  });

  it("is omitted from an error, which names the failed command", async () => {
    const remote = await startRemoteBrowser();
    const events: RendererEvent[] = [];
    const url = await openInterceptor(remote.webSocketUrl, ({ id, method }, respond) => {
      if (method !== "Browser.getVersion") return;
      respond({ id, error: { code: -32000, message: "\u001b[31mno hunter2" } });
      return true;
    });
    const renderer = openRenderer([], { browserUrls: [url], onEvent: (event) => events.push(event) });
    onTestFinished(() => renderer.close());
    const { reason } = await renderer.health();
    expect(reason).toContain("Browser.getVersion failed");
    expect(inspect({ reason, events })).not.toMatch(/hunter2|\\x1B/);
  });
});

describe("a remote browser that cannot open tabs", () => {
  it("is disconnected after three failures, while the other browser renders", async () => {
    const [one, two] = await Promise.all([startRemoteBrowser(), startRemoteBrowser()]);
    const site = await openSite({ "/": "<h1>fine</h1>" });
    onTestFinished(() => site.close());
    const events: RendererEvent[] = [];
    let shouldReject = false;
    const url = await openInterceptor(one.webSocketUrl, ({ id, method }, respond) => {
      if (!shouldReject || method !== "Target.createBrowserContext") return;
      respond({ id, error: { code: -32000, message: "no" } });
      return true;
    });
    const renderer = openRenderer([site.port], {
      browserUrls: [url, two.webSocketUrl],
      warmContexts: 0,
      onEvent: (event) => events.push(event),
    });
    onTestFinished(() => renderer.close());
    await expect.poll(() => events.filter(({ type }) => type === "remote-browser-connected")).toHaveLength(2);
    shouldReject = true;
    for (let count = 0; count < 12; count += 1)
      expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(events).toContainEqual({
      type: "remote-browser-ended",
      endpoint: url.replace(/\/$/, ""),
      reason: "no tab could be opened: Target.createBrowserContext failed",
    });
    // its first render uses the tab that the browser started with, and succeeds
    expect(events.filter(({ type }) => type === "render-retried")).toHaveLength(3);
  });
});

describe("a remote browser with direct egress", () => {
  it.each(["prefetch", "prerender"])("does not render a private page loaded by %s", async (kind) => {
    const forbidden = await openSite({ "/": "<body style='background:red'>private" });
    onTestFinished(() => forbidden.close());
    const privateUrl = forbidden.url("/");
    const rules = JSON.stringify({
      [kind]: [{ source: "list", urls: [privateUrl], eagerness: "immediate" }],
    });
    const site = await openSite({
      "/": `<script type="speculationrules">${rules}</script><script>setTimeout(() => location.href = "${privateUrl}", 1500)</script>`,
    });
    onTestFinished(() => site.close());
    const remote = await startRemoteBrowser({ args: [] });
    const renderer = openRenderer([site.port], {
      browserUrls: [remote.webSocketUrl],
      browserEgress: "direct",
    });
    onTestFinished(() => renderer.close());
    const render = renderer.render(screenshot(site.url("/"), { delay: 3_000 }));
    expect((await failureOf(render)).code).toBe("blocked_host");
    expect(forbidden.requests).not.toEqual([]); // loaded, but not rendered
  });
});

describe("the DevTools port of a remote browser", () => {
  it.each(["proxy", "direct"] as const)(
    "is blocked even if allowed as a target: %s",
    async (browserEgress) => {
      const remote = await startRemoteBrowser(browserEgress === "direct" ? { args: [] } : {});
      const renderer = openRenderer([], {
        browserUrls: [remote.webSocketUrl],
        browserEgress,
        targets: allowPorts(remote.port),
      });
      onTestFinished(() => renderer.close());
      const render = renderer.render(screenshot(`${remote.httpUrl}/json/list`));
      expect((await failureOf(render)).code).toBe("blocked_host");
    },
  );
});
