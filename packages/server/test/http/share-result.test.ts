import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { shareResult } from "../../src/http/health.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("shares a pending call, and its result for a second after it", async () => {
  const calls: PromiseWithResolvers<string>[] = [];
  const ask = shareResult(() => {
    const call = Promise.withResolvers<string>();
    calls.push(call);
    return call.promise;
  });
  const early = [ask(), ask()];
  vi.advanceTimersByTime(60_000);
  early.push(ask());
  calls[0]?.resolve("first");
  expect(await Promise.all(early)).toEqual(["first", "first", "first"]);
  vi.advanceTimersByTime(999);
  expect(await ask()).toBe("first");
  expect(calls).toHaveLength(1);
  vi.advanceTimersByTime(1);
  const late = ask();
  calls[1]?.resolve("second");
  expect(await late).toBe("second");
});

it("shares a failure as well, and recovers", async () => {
  const results = [Promise.reject(new Error("the disk is full")), Promise.resolve("well")];
  const ask = shareResult(() => results.shift() ?? Promise.reject(new Error("asked too often")));
  await expect(ask()).rejects.toThrow("the disk is full");
  await expect(ask()).rejects.toThrow("the disk is full");
  vi.advanceTimersByTime(1000);
  expect(await ask()).toBe("well");
});
