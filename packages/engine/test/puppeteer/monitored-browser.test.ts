import { describe, expect, it } from "vitest";
import { KilledProcesses } from "../../src/puppeteer/browser/killed-processes.ts";
import { MonitoredBrowser, type RunningBrowser } from "../../src/puppeteer/browser/monitored-browser.ts";
import type { GroupMember } from "../../src/puppeteer/browser/process-group.ts";
import { PageEnded, TabSuspected } from "../../src/puppeteer/page/page-end.ts";

interface Situation {
  /** CPU time of each process, none of whose pages is known. */
  readonly cpuMs: readonly number[];
  readonly activeRenders: number;
  readonly isIsolated: boolean;
}

/** Enforces a limit of 20 s of CPU time; returns the processes that are killed, and why. */
function killedIn({ cpuMs, activeRenders, isIsolated }: Situation): Map<number, Error | null> {
  const killedProcesses = new KilledProcesses();
  const killed = new Map<number, Error | null>();
  const members = cpuMs.map((ms, pid): GroupMember => {
    return { pid, role: "renderer", memoryBytes: 0, cpuMs: ms, waitMs: 0 };
  });
  const running = {
    launched: {},
    renderingBrowser: {
      tabsInUse: new Set(),
      activeRenders,
      setLongLivedBytes() {},
      host: { killedProcesses },
    },
    group: {
      read: () => members,
      signal: (pid: number) => void killed.set(pid, killedProcesses.explainCrash(pid)),
    },
    isIsolated,
  } as unknown as RunningBrowser;
  const browser = new MonitoredBrowser(running, {
    probeIntervalMs: 1_000,
    probeTimeoutMs: 2_500,
    pageMemoryMaxBytes: Infinity,
    pageCpuMaxMs: 20_000,
    onEvent: () => {},
  });
  browser.enforceLimits({ intervalMs: 500, wasPaused: false });
  return killed;
}

const TAB_SUSPECTED = new TabSuspected("the page is suspected of using too much of the browser's CPU time");
const PAGE_ENDED = expect.any(PageEnded) as PageEnded;

describe("unknown processes that exceed a limit", () => {
  it.each<[string, Situation, Error, number]>([
    [
      "together are only suspected if several renders are running",
      { cpuMs: [9_000, 12_000], activeRenders: 2, isIsolated: true },
      TAB_SUSPECTED,
      1,
    ],
    [
      "together end the page if only one render is running",
      { cpuMs: [9_000, 12_000], activeRenders: 1, isIsolated: true },
      PAGE_ENDED,
      1,
    ],
    ["alone end their page", { cpuMs: [20_001, 9_000], activeRenders: 2, isIsolated: true }, PAGE_ENDED, 0],
    [
      "alone end their page, even in a shared browser",
      { cpuMs: [20_001, 9_000], activeRenders: 2, isIsolated: false },
      PAGE_ENDED,
      0,
    ],
    [
      "together are only suspected in a shared browser",
      { cpuMs: [9_000, 12_000], activeRenders: 1, isIsolated: false },
      TAB_SUSPECTED,
      1,
    ],
  ])("%s", (_title, situation, reason, pid) => {
    expect(killedIn(situation)).toEqual(new Map([[pid, reason]]));
  });
});
