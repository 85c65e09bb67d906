import type { Connection } from "puppeteer";
import { expect, it, vi } from "vitest";
import type { ConnectedBrowser } from "../../src/puppeteer/browser/connected-browser.ts";
import { KilledProcesses } from "../../src/puppeteer/browser/killed-processes.ts";
import { openTab } from "../../src/puppeteer/page/tab.ts";
import type { PageEgress } from "../../src/puppeteer/proxy/page-egress.ts";

it("a context that is created too late for its tab is disposed", async () => {
  const created = Promise.withResolvers<{ browserContextId: string }>();
  const send = vi.fn<(method: string, params?: unknown) => Promise<unknown>>((method) =>
    method === "Target.createBrowserContext" ? created.promise : Promise.resolve({}),
  );
  const disconnected = new AbortController();
  const browser = {
    connection: { send } as unknown as Connection,
    disconnected: disconnected.signal,
  } as ConnectedBrowser;
  const egress = { proxyServer: null, close: () => Promise.resolve() } as PageEgress;
  const host = {
    browser,
    processGroup: null,
    killedProcesses: new KilledProcesses(),
    openEgress: () => Promise.resolve(egress),
  };
  const opening = openTab(host, null);
  await expect.poll(() => send).toHaveBeenCalled();
  disconnected.abort(new Error("too late"));
  await expect(opening).rejects.toThrow("too late");
  created.resolve({ browserContextId: "context" });
  await expect
    .poll(() => send)
    .toHaveBeenCalledWith("Target.disposeBrowserContext", { browserContextId: "context" });
});
