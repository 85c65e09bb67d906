import type { UsageTotals } from "@snap/engine/ports";

/** Returns the totals of one token on one day. */
export function sampleTotals(change: Partial<UsageTotals> = {}): UsageTotals {
  const counters = { renders: 3, hits: 20, failures: 1, credits: 3, renderMs: 3_600, longestRenderMs: 1_500 };
  return { day: "2026-01-01", accountId: "acct_1", tokenId: 1, ...counters, ...change };
}
