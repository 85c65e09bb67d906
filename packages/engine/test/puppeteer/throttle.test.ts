import { existsSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { Throttle } from "../../src/puppeteer/browser/throttle.ts";
import { SOON, startSleeper, stateOf } from "./sleeper.ts";

// Only Linux has /proc, without which nothing is throttled.
describe.skipIf(!existsSync("/proc/self/stat"))("Throttle", () => {
  it("stops and resumes a process repeatedly until it is released", async () => {
    const { pid, group } = await startSleeper();
    const throttle = new Throttle();
    throttle.set([{ group, pid, runFraction: 0.5 }]);
    for (const state of ["T", "S", "T", "S"]) await vi.waitFor(() => expect(stateOf(pid)).toBe(state), SOON);
    throttle.release();
    expect(stateOf(pid)).not.toBe("T");
  });

  it("resumes processes that are no longer listed", async () => {
    const [first, second] = [await startSleeper(), await startSleeper()];
    const throttle = new Throttle();
    throttle.set([{ ...first, runFraction: 0.5 }]);
    await vi.waitFor(() => expect(stateOf(first.pid)).toBe("T"), SOON);
    throttle.set([{ ...second, runFraction: 0.5 }]);
    expect(stateOf(first.pid)).not.toBe("T");
    await vi.waitFor(() => expect(stateOf(second.pid)).toBe("T"), SOON);
    throttle.release();
  });
});
