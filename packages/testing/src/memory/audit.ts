import type { AuditEntry, AuditStore } from "@snap/engine/ports";

export function createAuditStore(): AuditStore {
  let entries: readonly AuditEntry[] = [];
  return {
    async append(entry) {
      entries = [...entries, structuredClone(entry)];
    },
    async list({ since }) {
      return structuredClone(entries.filter(({ at }) => at >= since).toSorted((a, b) => a.at - b.at));
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
