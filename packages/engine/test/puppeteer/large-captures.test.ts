import { describe, expect, it, onTestFinished } from "vitest";
import { MonitoredBrowser, type RunningBrowser } from "../../src/puppeteer/browser/monitored-browser.ts";
import { TabSuspected } from "../../src/puppeteer/page/page-end.ts";

interface Situation {
  /** Device pixels of the screenshot that each page in the browser is capturing; 0 if it captures none. */
  readonly capturing: readonly number[];
  /** Number of renders that are waiting for a tab. */
  readonly waiting?: number;
  readonly isIsolated?: boolean;
  /** How long the browser takes to respond. */
  readonly blockedMs?: number;
}

/** Probes a browser once; returns which of its pages are then suspected of blocking it. */
async function suspectedIn(situation: Situation): Promise<boolean[]> {
  const { capturing, waiting = 0, isIsolated = false, blockedMs = 600 } = situation;
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const ends = capturing.map((): unknown[] => []);
  const tabsInUse = new Set(
    capturing.map((capturedPixels, index) => ({
      channel: { capturedPixels },
      end: (reason: unknown) => void ends[index]?.push(reason),
    })),
  );
  const { promise: probed, resolve: onProbed } = Promise.withResolvers<void>();
  let probes = 0;
  const send = async (): Promise<void> => {
    probes += 1;
    if (probes === 2) onProbed();
    if (probes === 1) await new Promise((resolve) => setTimeout(resolve, blockedMs));
  };
  const running = {
    launched: { connection: { send }, disconnected: closing.signal, kill: async () => {} },
    renderingBrowser: { tabsInUse, activeRenders: capturing.length + waiting },
    group: { read: () => [] },
    isIsolated,
  } as unknown as RunningBrowser;
  const browser = new MonitoredBrowser(running, {
    probeIntervalMs: 1,
    probeTimeoutMs: 5_000,
    pageMemoryMaxBytes: Infinity,
    pageCpuMaxMs: Infinity,
    onEvent: () => {},
  });
  browser.probe().catch(() => {}); // rejects when the browser disconnects
  await probed;
  for (const reason of ends.flat())
    expect(reason).toEqual(
      new TabSuspected("the page is suspected of blocking the browser with a large screenshot"),
    );
  return ends.map((reasons) => reasons.length > 0);
}

describe("a slow probe", () => {
  it("suspects the pages that capture large screenshots, and no others", async () => {
    expect(await suspectedIn({ capturing: [16_000_000, 1_024_000, 30_000_000, 0] })).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("suspects only the page with the largest screenshot if the others have less than half its pixels", async () => {
    expect(await suspectedIn({ capturing: [90_000_000, 44_000_000, 1_024_000] })).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("suspects a page even if it delays only a render that has no tab yet", async () => {
    expect(await suspectedIn({ capturing: [16_000_000], waiting: 1 })).toEqual([true]);
  });

  it.each<[string, Situation]>([
    ["captures fewer than 16 million pixels", { capturing: [15_999_999], waiting: 1 }],
    ["delays only other large screenshots", { capturing: [16_000_000, 16_000_000] }],
    ["has an isolated browser", { capturing: [16_000_000], waiting: 1, isIsolated: true }],
    ["allows the browser to respond in time", { capturing: [16_000_000], waiting: 1, blockedMs: 300 }],
  ])("does not suspect a page that %s", async (_title, situation) => {
    expect(await suspectedIn(situation)).not.toContain(true);
  });
});
