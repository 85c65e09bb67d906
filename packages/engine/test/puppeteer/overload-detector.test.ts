import { describe, expect, it } from "vitest";
import { OverloadDetector, type OverloadReading } from "../../src/puppeteer/browser/overload-detector.ts";

const INTERVAL_MS = 500;

/** Returns the time at which a part of a browser is found to be overloaded; `null` if it never is. `next` returns a reading. */
function overloadedAtMs(next: (atMs: number) => Partial<OverloadReading>): number | null {
  const detector = new OverloadDetector();
  for (let atMs = 0; atMs <= 60_000; atMs += INTERVAL_MS) {
    const reading = { atMs, isBusy: true, isRendering: true, finishedRenders: 7 };
    if (detector.update({ ...reading, ...next(atMs) })) return atMs;
  }
  return null;
}

describe("a part that all pages share", () => {
  it("is overloaded when it has been busy for four seconds and no render has finished", () => {
    expect(overloadedAtMs(() => ({}))).toBe(4_000);
  });

  it.each<[string, (atMs: number) => Partial<OverloadReading>]>([
    ["is idle", () => ({ isBusy: false })],
    ["works between renders", () => ({ isRendering: false })],
    ["pauses every four seconds", (atMs) => ({ isBusy: atMs % 4_000 !== 0 })],
    ["allows a render to end every four seconds", (atMs) => ({ finishedRenders: Math.floor(atMs / 4_000) })],
  ])("is not overloaded if it %s", (_title, next) => {
    expect(overloadedAtMs(next)).toBeNull();
  });

  it("is overloaded four seconds after the last render finished", () => {
    expect(overloadedAtMs((atMs) => ({ finishedRenders: Math.min(atMs, 10_000) }))).toBe(14_000);
  });
});
