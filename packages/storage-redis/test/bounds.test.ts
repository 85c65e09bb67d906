import { describe, expect, it } from "vitest";
import { createLocalRateLimiter } from "../src/rate-limiter.ts";
import { createOwedDeletions } from "../src/renderings/owed-deletions.ts";
import { NOW, spend } from "./samples.ts";

describe("local budgets", () => {
  it("forget the window that was opened first when there are too many", () => {
    const budgets = createLocalRateLimiter(2);
    const spendOnce = (accountId: string, now = NOW): boolean =>
      budgets.consume(spend({ accountId, now, limit: 1 })).allowed;
    expect(["a", "b"].map((accountId) => spendOnce(accountId))).toEqual([true, true]);
    // Opened anew, so that "b" is now the oldest.
    expect(spendOnce("a", NOW + 60_000)).toBe(true);
    expect(spendOnce("c")).toBe(true);
    expect(spendOnce("a", NOW + 60_000)).toBe(false);
    expect(spendOnce("b")).toBe(true);
  });
});

describe("owed deletions", () => {
  it("are carried out once, in portions, the latest ones when there are too many", async () => {
    const owed = createOwedDeletions(2500);
    for (let index = 0; index < 3000; index += 1) owed.add(`${index}`);
    const portions: string[][] = [];
    while (!owed.isEmpty()) await owed.carryOut(async (keys) => portions.push(keys));
    expect(portions.map(({ length }) => length)).toEqual([1000, 1000, 500]);
    expect(portions.flat()).toEqual(Array.from({ length: 2500 }, (_, index) => `${index + 500}`));
  });

  it("are owed still when that fails", async () => {
    const owed = createOwedDeletions();
    owed.add("a");
    await expect(
      owed.carryOut(async () => {
        throw new Error("gone again");
      }),
    ).rejects.toThrow("gone again");
    expect(owed.isEmpty()).toBe(false);
  });
});
