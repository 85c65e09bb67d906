import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { shareResult } from "../../src/requests/share-result.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("shares a pending call, and its result for a second afterwards", async () => {
  const calls: PromiseWithResolvers<string>[] = [];
  const call = shareResult(() => {
    const pending = Promise.withResolvers<string>();
    calls.push(pending);
    return pending.promise;
  });
  const early = [call(), call()];
  vi.advanceTimersByTime(60_000);
  early.push(call());
  calls[0]?.resolve("first");
  expect(await Promise.all(early)).toEqual(["first", "first", "first"]);
  vi.advanceTimersByTime(999);
  expect(await call()).toBe("first");
  expect(calls).toHaveLength(1);
  vi.advanceTimersByTime(1);
  const late = call();
  calls[1]?.resolve("second");
  expect(await late).toBe("second");
});

it("also shares a failure, and recovers", async () => {
  const results = [Promise.reject(new Error("the disk is full")), Promise.resolve("well")];
  const call = shareResult(() => results.shift() ?? Promise.reject(new Error("called too often")));
  await expect(call()).rejects.toThrow("the disk is full");
  await expect(call()).rejects.toThrow("the disk is full");
  vi.advanceTimersByTime(1000);
  expect(await call()).toBe("well");
});
