// @module-tag browser

import { describe, expect, it, onTestFinished } from "vitest";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { openInterceptor } from "./interceptor.ts";
import { folderDocument } from "./served-document.ts";
import { failureOf, openRenderer, screenshot } from "./setup.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { openSite } from "./site.ts";
import { HOSTS, openHostileSite, openTrap, TO_LOOPBACK } from "./trap.ts";

describe("a remote browser that does not use the egress proxy", () => {
  it.each<[string, (params: Record<string, unknown>) => void]>([
    ["the provider ignores a context's proxy", (params) => delete params["proxyServer"]],
    ["the browser bypasses it for loopback addresses", (params) => delete params["proxyBypassList"]],
    ["the browser can't reach it", (params) => (params["proxyServer"] = "http://127.0.0.1:9")],
  ])("makes the renderer not ready: %s", async (_name, tamper) => {
    const site = await openSite({ "/": "<h1>fine</h1>" });
    onTestFinished(() => site.close());
    const remote = await startRemoteBrowser({ args: [] });
    const url = await openInterceptor(remote.webSocketUrl, ({ method, params = {} }) => {
      if (method === "Target.createBrowserContext") tamper(params);
    });
    const renderer = openRenderer([site.port], { browserUrls: [url] });
    onTestFinished(() => renderer.close());
    const { ready, reason } = await renderer.health();
    expect(ready).toBe(false);
    expect(reason).toContain("do not use the egress proxy");
    expect((await failureOf(renderer.render(screenshot(site.url("/"))))).code).toBe("upstream_error");
    expect(site.requests).toEqual([]);
  });
});

describe("a page that tries every way to connect from a remote browser", () => {
  it("reaches nothing, and is rendered, if the browser has the recommended arguments", async () => {
    const trap = await openTrap();
    onTestFinished(() => trap.close());
    const site = await openHostileSite();
    onTestFinished(() => site.close());
    const remote = await startRemoteBrowser();
    const renderer = openRenderer([site.port], {
      browserUrls: [remote.webSocketUrl],
      resolver: TO_LOOPBACK,
    });
    onTestFinished(() => renderer.close());
    const options = { waitUntil: "networkidle0", delay: 500 } as const;
    const files = HOSTS.map((host) => {
      const to = encodeURIComponent(`http://${host}:${trap.port}`);
      return renderer.render(screenshot(site.url(`/?to=${to}`), options));
    });
    expect((await Promise.all(files)).map(({ targetStatus }) => targetStatus)).toEqual(HOSTS.map(() => 200));
    expect(trap.caught).toEqual([]);
  });
});

describe("a document in a remote browser", () => {
  it.each(["proxy", "direct"] as const)("is served if browserEgress is %s", async (browserEgress) => {
    const site = await openSite({
      "/": `<iframe src="https://documents.snap.invalid/"></iframe><script>
        fetch("https://documents.snap.invalid/", { mode: "no-cors" }).catch(() => (document.title = "refused"))
      </script>`,
    });
    onTestFinished(() => site.close());
    const lookups: string[] = [];
    const resolve = async (name: string): Promise<string[]> => {
      lookups.push(name);
      return ["127.0.0.1"];
    };
    const { webSocketUrl } = await startRemoteBrowser({ args: [] });
    const browserUrls = [webSocketUrl];
    const renderer = openRenderer([site.port], { browserUrls, browserEgress, resolver: { resolve } });
    onTestFinished(() => renderer.close());
    const document = folderDocument();
    const file = await renderer.render(screenshot(document.url), { document });
    expect(file.targetStatus).toBe(200);
    expect(new Set(document.readPaths).size).toBe(8);
    // other pages get nothing, and no resolver sees the attempt
    const untilRefused = { waitForFunction: 'document.title === "refused"' };
    expect((await renderer.render(screenshot(site.url("/"), untilRefused))).targetStatus).toBe(200);
    expect(await failureOf(renderer.render(screenshot(document.url)))).toEqual({
      code: "target_unreachable",
      message: "The page's host name could not be resolved.",
    });
    expect(lookups).toEqual([]);
  });
});

describe("browserProxyHost", () => {
  it("sets the address of the egress proxies", async () => {
    const site = await openSite({ "/": "<h1>fine</h1>" });
    onTestFinished(() => site.close());
    const remote = await startRemoteBrowser({ args: [] });
    const renderer = openRenderer([site.port], {
      browserUrls: [remote.webSocketUrl],
      browserProxyHost: "127.0.0.2",
    });
    onTestFinished(() => renderer.close());
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
  });

  it("makes the renderer not ready if it is not an address of this machine", async () => {
    const remote = await startRemoteBrowser();
    const renderer = openRenderer([], {
      browserUrls: [remote.webSocketUrl],
      browserProxyHost: "192.0.2.1",
    });
    onTestFinished(() => renderer.close());
    const { reason } = await renderer.health();
    expect(reason).toContain(`ws://127.0.0.1:${remote.port} is not usable`);
    expect(reason).toContain("192.0.2.1");
  });
});

describe("the reported containment gaps", () => {
  const gapsOf = async (args: readonly string[] | undefined, egress: "proxy" | "direct"): Promise<string> => {
    const remote = await startRemoteBrowser(args === undefined ? {} : { args });
    const events: RendererEvent[] = [];
    const renderer = openRenderer([], {
      browserUrls: [remote.webSocketUrl],
      browserEgress: egress,
      onEvent: (event) => events.push(event),
    });
    await renderer.health();
    await renderer.close();
    const [connected] = events;
    return connected?.type === "remote-browser-connected" ? connected.gaps.join("\n") : "";
  };

  it("include only memory with the recommended arguments", async () => {
    const gaps = await gapsOf(undefined, "proxy");
    expect(gaps).toContain("memory");
    expect(gaps).not.toMatch(/WebRTC|looked up|sandbox/);
  });

  it("include WebRTC and DNS lookups without the recommended arguments", async () => {
    expect(await gapsOf([], "proxy")).toMatch(/WebRTC[^]*looked up/);
    const rules = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1";
    expect(await gapsOf([rules], "proxy")).toMatch(/looked up/);
  });

  it("include the missing sandbox and direct egress", async () => {
    const gaps = await gapsOf(["--no-sandbox"], "direct");
    expect(gaps).toContain("without a sandbox");
    expect(gaps).toContain("pages connect directly from the browser's network");
  });
});
