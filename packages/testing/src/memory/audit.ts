import type { AuditEntry, AuditStore } from "@snap/engine/ports";

export function createAuditStore(): AuditStore {
  let entries: readonly AuditEntry[] = [];
  return {
    async append({ subjects, ...entry }) {
      entries = [...entries, { ...entry, subjects: [...subjects] }];
    },
    async list({ since }) {
      return entries.filter(({ at }) => at >= since).toSorted((a, b) => a.at - b.at);
    },
    async prune({ before, limit }) {
      const pruned = entries
        .filter(({ at }) => at < before)
        .toSorted((a, b) => a.at - b.at)
        .slice(0, limit);
      entries = entries.filter((entry) => !pruned.includes(entry));
      return pruned.length;
    },
  };
}
