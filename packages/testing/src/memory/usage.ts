import type { UsageGroup, UsageRequest, UsageSum, UsageTotals } from "@snap/engine/ports";

/** Adds totals to those of the same day and token. */
export function addTotals(
  existing: readonly UsageTotals[],
  additions: readonly UsageTotals[],
): readonly UsageTotals[] {
  const groups = Map.groupBy([...existing, ...additions], ({ day, tokenId }) =>
    JSON.stringify([day, tokenId]),
  );
  return Array.from(groups.values(), addUp);
}

/** Implements `HistoryStore.usage`. */
export function sumUsage(
  totals: readonly UsageTotals[],
  { from, to, accountId, tokenId, by }: UsageRequest,
): readonly UsageSum[] {
  const selected = totals.filter(
    (total) =>
      total.day >= from &&
      total.day <= to &&
      (accountId === undefined || total.accountId === accountId) &&
      (tokenId === undefined || total.tokenId === tokenId),
  );
  const groups = Map.groupBy(selected, (total) => total[FIELDS[by]]);
  const sums = Array.from(groups.values(), (all): UsageSum => {
    const { day, accountId: account, tokenId: token, ...counters } = addUp(all);
    return {
      ...counters,
      day: by === "day" ? day : null,
      accountId: by === "day" ? null : account,
      tokenId: by === "token" ? token : null,
    };
  });
  return sums.toSorted(by === "day" ? byDay : byRenders);
}

const FIELDS = { day: "day", account: "accountId", token: "tokenId" } as const satisfies Record<
  UsageGroup,
  keyof UsageTotals
>;

/** Adds up totals. The result has the day, account and token of the first. */
function addUp(all: readonly UsageTotals[]): UsageTotals {
  return all.reduce((sum, total) => ({
    day: sum.day,
    accountId: sum.accountId,
    tokenId: sum.tokenId,
    renders: sum.renders + total.renders,
    hits: sum.hits + total.hits,
    failures: sum.failures + total.failures,
    credits: sum.credits + total.credits,
    renderMs: sum.renderMs + total.renderMs,
    longestRenderMs: Math.max(sum.longestRenderMs, total.longestRenderMs),
  }));
}

function byDay(a: UsageSum, b: UsageSum): number {
  return (a.day ?? "") < (b.day ?? "") ? -1 : 1;
}

/** Most renders first, then by token or account. */
function byRenders(a: UsageSum, b: UsageSum): number {
  return (
    b.renders - a.renders ||
    (a.tokenId ?? 0) - (b.tokenId ?? 0) ||
    ((a.accountId ?? "") < (b.accountId ?? "") ? -1 : 1)
  );
}
