import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TabSource } from "../../src/puppeteer/browser/browser-supervisor.ts";
import { IsolatedBrowsers } from "../../src/puppeteer/browser/isolated-browsers.ts";

const { signal } = new AbortController();

/** Browsers without tabs; `render` returns whether its browser was closed in the meantime. */
function openBrowsers(browsersMax: number) {
  const started: TabSource[] = [];
  const closed = new Set<TabSource>();
  const browsers = new IsolatedBrowsers({
    start: () => {
      const browser: TabSource = {
        closing: signal,
        acquire: () => Promise.reject(new Error("not in use")),
        health: () => Promise.resolve({ ready: true, reason: null }),
        close: async () => void closed.add(browser),
      };
      started.push(browser);
      return browser;
    },
    browsersMax,
    idleMaxMs: 60_000,
  });
  const render = async (browser: TabSource): Promise<{ wasClosed: boolean }> => {
    await setImmediate();
    return { wasClosed: closed.has(browser) };
  };
  return { browsers, started, closed, render };
}

describe("IsolatedBrowsers", () => {
  it("uses one browser per key, and makes room for another key by closing the browser that has been idle longest", async () => {
    const { browsers, started, closed, render } = openBrowsers(2);
    await Promise.all(["a", "a"].map((key) => browsers.use(key, signal, render)));
    await browsers.use("b", signal, render);
    expect([started.length, closed.size]).toEqual([2, 0]);
    await browsers.use("c", signal, render);
    expect(started.map((browser) => closed.has(browser))).toEqual([true, false, false]);
    await browsers.close();
    expect(closed.size).toBe(3);
  });

  it("does not close a browser that a render reuses while another key waits", async () => {
    const { browsers, render } = openBrowsers(1);
    await browsers.use("a", signal, render);
    const renders = ["a", "b"].map((key) => browsers.use(key, signal, render));
    expect(await Promise.all(renders)).toEqual([{ wasClosed: false }, { wasClosed: false }]);
    await browsers.close();
  });

  it("starts one browser at a time if several keys wait for the same release", async () => {
    const { browsers, started, render } = openBrowsers(1);
    const first = Promise.withResolvers<void>();
    const running = browsers.use("a", signal, () => first.promise);
    const waiting = ["b", "c"].map((key) => browsers.use(key, signal, render));
    first.resolve();
    await running;
    expect(await Promise.all(waiting)).toEqual([{ wasClosed: false }, { wasClosed: false }]);
    expect(started).toHaveLength(3);
    await browsers.close();
  });

  it("lets another key take its turn even if renders with one key follow each other without a pause", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { browsers, started } = openBrowsers(1);
    const events: string[] = [];
    const start = (key: string): { end: () => void; ended: Promise<void> } => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const ended = browsers.use(key, signal, () => {
        events.push(key);
        return promise;
      });
      return { end: resolve, ended };
    };
    const first = start("a");
    const other = start("b");
    const second = start("a");
    await setImmediate();
    expect(events).toEqual(["a", "a"]);
    first.end();
    vi.advanceTimersByTime(5_001);
    const third = start("a");
    await setImmediate();
    expect(events).toEqual(["a", "a"]);
    second.end();
    await second.ended;
    const fourth = start("a");
    await setImmediate();
    expect(events).toEqual(["a", "a", "b"]);
    other.end();
    for (const { end, ended } of [third, fourth]) {
      end();
      await ended;
    }
    expect([events, started.length]).toEqual([["a", "a", "b", "a", "a"], 3]);
    await browsers.close();
  });

  it("lets renders join a busy browser again once the render that waited for it is aborted", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { browsers, render } = openBrowsers(1);
    const first = Promise.withResolvers<void>();
    const running = browsers.use("a", signal, () => first.promise);
    const abandoned = new AbortController();
    const other = browsers.use("b", abandoned.signal, render);
    vi.advanceTimersByTime(5_001);
    const second = browsers.use("a", signal, render);
    abandoned.abort(new Error("too late"));
    await expect(other).rejects.toThrow("too late");
    expect(await second).toEqual({ wasClosed: false });
    first.resolve();
    await running;
    await browsers.close();
  });

  it("sets no timer when a render ends after close()", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { browsers, render } = openBrowsers(1);
    const rendering = browsers.use("a", signal, render);
    await browsers.close();
    await rendering;
    expect(vi.getTimerCount()).toBe(0);
  });
});
