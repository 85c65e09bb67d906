import { availableParallelism } from "node:os";
import { sleep } from "../../timeouts.ts";
import type { Tab } from "../page/tab.ts";
import { shareCpu, type CpuUsage } from "./fair-share.ts";
import {
  MonitoredBrowser,
  type Interval,
  type RunningBrowser,
  type MonitorOptions,
} from "./monitored-browser.ts";
import { processesOf, type BrowserUsage, type ProcessUsage } from "./page-usage.ts";
import type { ProcessGroup } from "./process-group.ts";
import { Throttle } from "./throttle.ts";

const INTERVAL_MS = 500;

interface Reading {
  readonly browser: MonitoredBrowser;
  readonly usage: BrowserUsage<Tab>;
}

/**
 * A page, the processes of unknown pages, or a whole isolated browser, whose shared processes also work only for one
 * account.
 */
interface Consumer extends CpuUsage {
  readonly group: ProcessGroup;
  readonly processes: readonly ProcessUsage[];
}

/** Monitors a renderer's local browsers, whose pages share the cores of one machine. */
export class PageMonitor {
  readonly #options: MonitorOptions;
  readonly #browsers = new Set<MonitoredBrowser>();
  readonly #throttle = new Throttle();
  /** The fraction of time for which each process may run, by process id; 1 if not listed. */
  #rates: ReadonlyMap<number, number> = new Map();

  constructor(options: MonitorOptions, closing: AbortSignal) {
    this.#options = options;
    this.#run(closing).catch(() => this.#release()); // rejects on close
  }

  /** Monitors a browser until it exits. */
  add(browser: RunningBrowser): void {
    const monitored = new MonitoredBrowser(browser, this.#options);
    this.#browsers.add(monitored);
    monitored
      .probe()
      .catch(() => {}) // it has exited
      .finally(() => this.#browsers.delete(monitored));
  }

  /** Returns the memory of all processes of the monitored browsers; 0 on systems without /proc. */
  memoryBytes(): number {
    const members = [...this.#browsers].flatMap(({ group }) => group.read());
    return members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  async #run(closing: AbortSignal): Promise<void> {
    let wasRendering = false;
    let readAtMs = performance.now();
    for (;;) {
      await sleep(closing, INTERVAL_MS);
      const isRendering = [...this.#browsers].some((browser) => browser.isRendering);
      if (isRendering) {
        const nowMs = performance.now();
        this.#enforceLimits({ intervalMs: nowMs - readAtMs, wasPaused: !wasRendering });
        readAtMs = nowMs;
      } else if (wasRendering) this.#release();
      wasRendering = isRendering;
    }
  }

  /** Ends pages that exceed a limit, and throttles those that are starving others. */
  #enforceLimits(interval: Interval): void {
    const readings = [...this.#browsers].map((browser) => ({
      browser,
      usage: browser.enforceLimits(interval),
    }));
    const consumers = readings.flatMap(consumersOf);
    const rates = shareCpu(
      consumers.map(({ usedMs, waitedMs, processes }) => ({
        usedMs,
        waitedMs,
        rate: Math.min(1, ...processes.map(({ pid }) => this.#rates.get(pid) ?? 1)),
      })),
      { durationMs: interval.intervalMs, cores: availableParallelism(), others: readings.flatMap(othersOf) },
    );
    const throttled = consumers.flatMap(({ group, processes }, index) =>
      processes.map(({ pid }) => ({ group, pid, runFraction: rates[index] ?? 1 })),
    );
    this.#rates = new Map(throttled.map(({ pid, runFraction }) => [pid, runFraction]));
    this.#throttle.set(throttled.filter(({ runFraction }) => runFraction < 1));
  }

  #release(): void {
    this.#rates = new Map();
    this.#throttle.release();
  }
}

function consumersOf({ browser: { group, isIsolated }, usage }: Reading): readonly Consumer[] {
  if (isIsolated) {
    const processes = processesOf(usage);
    return [{ group, processes, ...cpuUsageOf(processes) }];
  }
  return usage.pages.map(({ processes, recentCpuMs, recentWaitMs }) => ({
    group,
    processes,
    usedMs: recentCpuMs,
    waitedMs: recentWaitMs,
  }));
}

function cpuUsageOf(processes: readonly ProcessUsage[]): CpuUsage {
  return {
    usedMs: processes.reduce((totalMs, { recentCpuMs }) => totalMs + recentCpuMs, 0),
    waitedMs: processes.reduce((totalMs, { recentWaitMs }) => totalMs + recentWaitMs, 0),
  };
}

function othersOf({ browser: { isIsolated }, usage }: Reading): readonly CpuUsage[] {
  return isIsolated ? [] : usage.shared.map((process) => cpuUsageOf([process]));
}
