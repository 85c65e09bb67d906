import { expect, it, onTestFinished } from "vitest";
import { BrowserSupervisor, type TabLease } from "../../src/puppeteer/browser/browser-supervisor.ts";
import type { RenderingBrowser } from "../../src/puppeteer/browser/rendering-browser.ts";

/** Supervises a browser that cannot open a tab: each attempt fails with an error with this code. */
function openSupervisor(code: string): { readonly ended: string[]; acquire: () => Promise<TabLease> } {
  const ended: string[] = [];
  const browser = {
    browser: { disconnected: new AbortController().signal },
    listener: { onStarted() {}, onEnded: (reason: string) => void ended.push(reason), onRecycled() {} },
    activeRenders: 0,
    recycleReason: () => null,
    acquireTab: () => Promise.reject(Object.assign(new Error(`listen ${code}`), { code })),
    retire() {},
    kill: async () => {},
  } as unknown as RenderingBrowser;
  const supervisor = new BrowserSupervisor({ start: async () => browser, onStartFailed() {} });
  onTestFinished(() => supervisor.close());
  const request = { kind: "new", url: null, tried: new Set<never>() } as const;
  return { ended, acquire: () => supervisor.acquire({ ...request, tried: new Set() }, supervisor.closing) };
}

it.each([
  ["EADDRINUSE", ["no tab could be opened: listen EADDRINUSE"]],
  ["EMFILE", []],
])(
  "a browser that cannot open tabs is replaced, unless this process is out of descriptors: %s",
  async (code, ended) => {
    const supervised = openSupervisor(code);
    for (let tabs = 0; tabs < 3; tabs += 1)
      await expect(supervised.acquire()).rejects.toThrow(`no tab could be opened: listen ${code}`);
    expect(supervised.ended).toEqual(ended);
  },
);
