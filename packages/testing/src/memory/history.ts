import type { Activity, HistoryEntry, HistoryFilter, HistoryStore, UsageTotals } from "@snap/engine/ports";
import { pageOf } from "./page-of.ts";
import { addTotals, sumUsage } from "./usage.ts";

/** Stores the history in memory. */
export function createHistoryStore(deletions: ReadonlyMap<string, number>): HistoryStore {
  const entries = new Map<string, HistoryEntry>();
  let totals: readonly UsageTotals[] = [];
  const remove = (selected: readonly HistoryEntry[]): number => {
    for (const { id } of selected) entries.delete(id);
    return selected.length;
  };
  return {
    async append(request) {
      const isStored = ({ accountId }: { readonly accountId: string }): boolean => !deletions.has(accountId);
      const added = structuredClone(request.entries.filter(isStored));
      const ids = new Set(entries.keys());
      for (const { id } of added) {
        if (ids.has(id)) throw new Error(`entry ${id} already exists`);
        ids.add(id);
      }
      for (const entry of added) entries.set(entry.id, entry);
      totals = addTotals(totals, request.totals.filter(isStored));
    },
    async page({ after, limit, ...filter }) {
      const latestFirst = [...entries.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const matches = (entry: HistoryEntry): boolean => isSelected(entry, filter);
      const page = pageOf(latestFirst, { after, limit, matches });
      return { entries: page.entries, hasMore: page.more > 0 };
    },
    async find(id) {
      return structuredClone(entries.get(id) ?? null);
    },
    async activity({ since, intervalMs }) {
      const intervals = new Map<number, Activity>();
      for (const { at, code, cache } of entries.values()) {
        if (at < since || cache === "hit") continue;
        const start = at - (at % intervalMs);
        const { renders, failures } = intervals.get(start) ?? { renders: 0, failures: 0 };
        const added =
          code === null ? { renders: renders + 1, failures } : { renders, failures: failures + 1 };
        intervals.set(start, { at: start, ...added });
      }
      return [...intervals.values()].toSorted((a, b) => a.at - b.at);
    },
    async failures({ since }) {
      const codes = [...entries.values()].flatMap(({ at, code }) =>
        at < since || code === null ? [] : [code],
      );
      const groups = [...Map.groupBy(codes, (code) => code)];
      return groups
        .map(([code, all]) => ({ code, count: all.length }))
        .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
    },
    async usage(request) {
      return sumUsage(totals, request);
    },
    async prune({ before, beforeDay, limit }) {
      const oldEntries = [...entries.values()]
        .filter(({ at }) => at < before)
        .toSorted((a, b) => a.at - b.at)
        .slice(0, limit);
      const oldTotals = new Set(totals.filter(({ day }) => day < beforeDay).slice(0, limit));
      totals = totals.filter((total) => !oldTotals.has(total));
      return remove(oldEntries) + oldTotals.size;
    },
    async deleteAccount({ accountId }) {
      totals = totals.filter((total) => total.accountId !== accountId);
      return remove([...entries.values()].filter((entry) => entry.accountId === accountId));
    },
  };
}

function isSelected(entry: HistoryEntry, { since, until, isFailure, ...fields }: HistoryFilter): boolean {
  const names = Object.keys(fields) as (keyof typeof fields)[];
  return (
    names.every((name) => fields[name] === undefined || entry[name] === fields[name]) &&
    (isFailure === undefined || (entry.code !== null) === isFailure) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at < until)
  );
}
