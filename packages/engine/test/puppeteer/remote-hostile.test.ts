// @module-tag browser

import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { openInterceptor } from "./interceptor.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { allowPorts, failureOf, openRenderer, screenshot } from "./setup.ts";
import { openSite } from "./site.ts";

const TARGET = { targetId: "t", type: "page", url: "about:blank" };

describe("an endpoint that sends what no browser sends", () => {
  it.each<[string, unknown]>([
    ["a page without parameters", { method: "Target.targetCreated" }],
    ["a page without facts", { method: "Target.targetCreated", params: {} }],
    ["a page of no kind", { method: "Target.targetCreated", params: { targetInfo: { targetId: "t" } } }],
    ["a change of nothing", { method: "Target.targetInfoChanged" }],
    ["a session without a page", { method: "Target.attachedToTarget", params: { sessionId: "s" } }],
    [
      "a page without a session",
      { method: "Target.attachedToTarget", params: { targetInfo: TARGET, sessionId: 1 } },
    ],
    ["an end without parameters", { method: "Target.targetDestroyed" }],
  ])("%s: its connection is closed, and the process goes on", async (_name, message) => {
    const remote = await startRemoteBrowser();
    const site = await openSite({ "/": "<h1>fine</h1>" });
    onTestFinished(() => site.close());
    const events: RendererEvent[] = [];
    let isSent = false;
    const url = await openInterceptor(remote.webSocketUrl, ({ method, params }, answer) => {
      if (isSent || method !== "Page.navigate" || params?.["url"] !== site.url("/")) return;
      isSent = true;
      answer(message);
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

describe("text of an endpoint", () => {
  it("is told without what steers a terminal, and without what it was sent", async () => {
    const remote = await startRemoteBrowser();
    const events: RendererEvent[] = [];
    const url = await openInterceptor(remote.webSocketUrl, ({ id, method }, answer) => {
      if (method !== "Browser.getVersion") return;
      answer({ id, result: { product: "HeadlessChrome/156.0.0.0\u001b[31m\n[ok] hunter2" } });
      return true;
    });
    const renderer = openRenderer([], { browserUrls: [url], onEvent: (event) => events.push(event) });
    onTestFinished(() => renderer.close());
    await renderer.health();
    expect(events[0]).toMatchObject({ version: "HeadlessChrome/156.0.0.0" });
  });

  it("of an error is not told, only the command that failed", async () => {
    const remote = await startRemoteBrowser();
    const events: RendererEvent[] = [];
    const url = await openInterceptor(remote.webSocketUrl, ({ id, method }, answer) => {
      if (method !== "Browser.getVersion") return;
      answer({ id, error: { code: -32000, message: "\u001b[31mno hunter2" } });
      return true;
    });
    const renderer = openRenderer([], { browserUrls: [url], onEvent: (event) => events.push(event) });
    onTestFinished(() => renderer.close());
    const { reason } = await renderer.health();
    expect(reason).toContain("Browser.getVersion failed");
    expect(inspect({ reason, events })).not.toMatch(/hunter2|\\x1B/);
  });
});

describe("a browser that refuses tabs", () => {
  it("is left to the others, then alone for a while", async () => {
    const [one, two] = await Promise.all([startRemoteBrowser(), startRemoteBrowser()]);
    const site = await openSite({ "/": "<h1>fine</h1>" });
    onTestFinished(() => site.close());
    const events: RendererEvent[] = [];
    let refuses = false;
    const url = await openInterceptor(one.webSocketUrl, ({ id, method }, answer) => {
      if (!refuses || method !== "Target.createBrowserContext") return;
      answer({ id, error: { code: -32000, message: "no" } });
      return true;
    });
    const renderer = openRenderer([site.port], {
      browserUrls: [url, two.webSocketUrl],
      warmContexts: 0,
      onEvent: (event) => events.push(event),
    });
    onTestFinished(() => renderer.close());
    await vi.waitFor(() =>
      expect(events.filter(({ type }) => type === "remote-browser-connected")).toHaveLength(2),
    );
    refuses = true;
    for (let count = 0; count < 12; count += 1)
      expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(events).toContainEqual({
      type: "remote-browser-ended",
      endpoint: url.replace(/\/$/, ""),
      reason: "no tab could be opened: Target.createBrowserContext failed",
    });
    // the first tab kept ready is used before any is refused
    expect(events.filter(({ type }) => type === "render-retried")).toHaveLength(3);
  });
});

describe("a browser elsewhere whose pages go out directly", () => {
  it.each(["prefetch", "prerender"])("no capture shows a private page that was got by %s", async (kind) => {
    const forbidden = await openSite({ "/": "<body style='background:red'>private" });
    onTestFinished(() => forbidden.close());
    const there = forbidden.url("/");
    const rules = JSON.stringify({ [kind]: [{ source: "list", urls: [there], eagerness: "immediate" }] });
    const site = await openSite({
      "/": `<script type="speculationrules">${rules}</script><script>setTimeout(() => location.href = "${there}", 1500)</script>`,
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
    expect(forbidden.requests).not.toEqual([]); // it was fetched: what was shown is what is refused
  });
});

describe("the DevTools port of a browser elsewhere", () => {
  it.each(["proxy", "direct"] as const)("is no target, whatever is allowed: %s", async (browserEgress) => {
    const remote = await startRemoteBrowser(browserEgress === "direct" ? { args: [] } : {});
    const renderer = openRenderer([], {
      browserUrls: [remote.webSocketUrl],
      browserEgress,
      targets: allowPorts(remote.port),
    });
    onTestFinished(() => renderer.close());
    const render = renderer.render(screenshot(`${remote.httpUrl}/json/list`));
    expect((await failureOf(render)).code).toBe("blocked_host");
  });
});
