import { describe, expect, it } from "vitest";
import { createLocalRateLimiter } from "../src/rate-limiter.ts";
import { createPendingDeletions } from "../src/renderings/pending-deletions.ts";
import { sampleConsumeRequest, NOW } from "./samples.ts";

describe("the local rate limiter", () => {
  it("drops the oldest window if there are too many", () => {
    const rateLimiter = createLocalRateLimiter(2);
    const consumeOnce = (accountId: string, now = NOW): boolean =>
      rateLimiter.consume(sampleConsumeRequest({ accountId, now, limit: 1 })).allowed;
    expect(["a", "b"].map((accountId) => consumeOnce(accountId))).toEqual([true, true]);
    // opens a new window, so "b" has the oldest one
    expect(consumeOnce("a", NOW + 60_000)).toBe(true);
    expect(consumeOnce("c")).toBe(true);
    expect(consumeOnce("a", NOW + 60_000)).toBe(false);
    expect(consumeOnce("b")).toBe(true);
  });
});

describe("the local rate limiter, when the clock is set back", () => {
  it("makes no caller wait longer than one window, even if every request is rejected", () => {
    const rateLimiter = createLocalRateLimiter();
    rateLimiter.consume(sampleConsumeRequest({ limit: 1 }));
    const back = NOW - 3_600_000;
    const refused = { allowed: false, remaining: 0, resetsAt: back + 60_000 };
    for (const now of [back, back + 59_999])
      expect(rateLimiter.consume(sampleConsumeRequest({ limit: 1, now }))).toEqual(refused);
    expect(rateLimiter.consume(sampleConsumeRequest({ limit: 1, now: back + 60_000 })).allowed).toBe(true);
  });
});

describe("pending deletions", () => {
  it("are flushed once, in several commands, and the oldest are dropped if there are too many", async () => {
    const pending = createPendingDeletions(2500);
    for (let index = 0; index < 3000; index += 1) pending.add(`${index}`);
    const commands: string[][] = [];
    while (!pending.isEmpty()) await pending.flush(async (keys) => commands.push(keys));
    expect(commands.map(({ length }) => length)).toEqual([1000, 1000, 500]);
    expect(commands.flat()).toEqual(Array.from({ length: 2500 }, (_, index) => `${index + 500}`));
  });

  it("stay pending if the command fails", async () => {
    const pending = createPendingDeletions();
    pending.add("a");
    await expect(
      pending.flush(async () => {
        throw new Error("connection lost");
      }),
    ).rejects.toThrow("connection lost");
    expect(pending.isEmpty()).toBe(false);
  });
});
