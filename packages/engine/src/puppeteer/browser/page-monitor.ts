import { sleep } from "../../timeouts.ts";
import type { Tab } from "../page/tab.ts";
import { shareProcessors } from "./fair-share.ts";
import { MonitoredBrowser, type BrowserParts, type MonitorOptions } from "./monitored-browser.ts";
import type { BrowserUsage } from "./page-usage.ts";
import { Throttle } from "./throttle.ts";

const READ_INTERVAL_MS = 500;

interface Reading {
  readonly browser: MonitoredBrowser;
  readonly usage: BrowserUsage<Tab>;
}

/** Monitors the local browsers of a renderer, whose pages share the processors of one machine. */
export class PageMonitor {
  readonly #options: MonitorOptions;
  readonly #browsers = new Set<MonitoredBrowser>();
  readonly #throttle = new Throttle();
  /** The part of the time that a process may run, by its id; 1 if it is not listed. */
  #rates: ReadonlyMap<number, number> = new Map();

  constructor(options: MonitorOptions, closing: AbortSignal) {
    this.#options = options;
    this.#run(closing).catch(() => this.#release()); // rejects on close
  }

  /** Monitors a browser until it exits. */
  add(parts: BrowserParts): void {
    const browser = new MonitoredBrowser(parts, this.#options);
    this.#browsers.add(browser);
    browser
      .probe()
      .catch(() => {}) // it has exited
      .finally(() => this.#browsers.delete(browser));
  }

  async #run(closing: AbortSignal): Promise<void> {
    let wasRendering = false;
    for (let beforeMs = performance.now(); ;) {
      await sleep(closing, READ_INTERVAL_MS);
      const durationMs = performance.now() - beforeMs;
      beforeMs += durationMs;
      const isRendering = [...this.#browsers].some((browser) => browser.isRendering);
      if (isRendering) this.#read(durationMs);
      else if (wasRendering) this.#release();
      wasRendering = isRendering;
    }
  }

  #read(durationMs: number): void {
    const readings = [...this.#browsers].map((browser) => ({ browser, usage: browser.read(durationMs) }));
    const pages = readings.flatMap(({ browser: { group }, usage }) =>
      [...usage.pages, usage.unknown].map((page) => ({ group, page })),
    );
    const rates = shareProcessors(
      pages.map(({ page }) => ({
        usedMs: page.recentCpuMs,
        waitedMs: page.recentWaitMs,
        rate: Math.min(1, ...page.processes.map(({ pid }) => this.#rates.get(pid) ?? 1)),
      })),
      { durationMs, others: readings.flatMap(othersOf) },
    );
    const throttled = pages.flatMap(({ group, page }, index) =>
      page.processes.map(({ pid }) => ({ group, pid, rate: rates[index] ?? 1 })),
    );
    this.#rates = new Map(throttled.map(({ pid, rate }) => [pid, rate]));
    this.#throttle.set(throttled.filter(({ rate }) => rate < 1));
  }

  #release(): void {
    this.#rates = new Map();
    this.#throttle.release();
  }
}

function othersOf({ usage }: Reading): readonly { usedMs: number; waitedMs: number }[] {
  return usage.shared.map(({ recentCpuMs, recentWaitMs }) => ({
    usedMs: recentCpuMs,
    waitedMs: recentWaitMs,
  }));
}
