import { describe, expect, it } from "vitest";
import { OverloadDetector, type OverloadReading } from "../../src/puppeteer/browser/overload-detector.ts";

const INTERVAL_MS = 500;

/** Returns the longest time for which a part of a browser may have stalled all pages. `next` returns a reading. */
function longestMs(next: (atMs: number) => Partial<OverloadReading>): number {
  const detector = new OverloadDetector();
  let longest = 0;
  for (let atMs = 0; atMs <= 60_000; atMs += INTERVAL_MS) {
    const reading = { atMs, isBusy: true, isRendering: true, finishedRenders: 7 };
    longest = Math.max(longest, detector.update({ ...reading, ...next(atMs) }));
  }
  return longest;
}

describe("a part that all pages share", () => {
  it.each<[string, number, (atMs: number) => Partial<OverloadReading>]>([
    ["is always busy and no render finishes", 60_000, () => ({})],
    ["is idle", 0, () => ({ isBusy: false })],
    ["works between renders", 0, () => ({ isRendering: false })],
    ["pauses every four seconds", 3_000, (atMs) => ({ isBusy: atMs % 4_000 !== 0 })],
    [
      "allows a render to end every four seconds",
      3_500,
      (atMs) => ({ finishedRenders: Math.floor(atMs / 4_000) }),
    ],
    [
      "allows renders to end for ten seconds",
      50_000,
      (atMs) => ({ finishedRenders: Math.min(atMs, 10_000) }),
    ],
  ])("that %s may stall them for %i ms", (_title, ms, next) => {
    expect(longestMs(next)).toBe(ms);
  });
});
