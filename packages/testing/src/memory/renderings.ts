import type { RenderingKey, RenderingStore, StoredRendering } from "@snap/engine/ports";

/** Counted against the quota for each rendering, in addition to its bytes. */
const OVERHEAD_BYTES = 4096;

interface Entry extends RenderingKey {
  readonly rendering: StoredRendering;
  readonly bytes: number;
}

export interface RenderingDependencies {
  /** The quota; `null` for none. */
  readonly maxBytes: number | null;
  readonly deletions: Map<string, number>;
}

/** Renderings in memory. */
export function createRenderingStore({ maxBytes, deletions }: RenderingDependencies): RenderingStore {
  const entries = new Map<string, Entry>();
  const purge = (accountId: string | null): number => {
    const purged = [...entries].filter(([, entry]) => accountId === null || entry.accountId === accountId);
    for (const [name] of purged) entries.delete(name);
    return purged.length;
  };
  const find = ({ now, ...key }: RenderingKey & { readonly now: number }): StoredRendering | null => {
    const rendering = entries.get(nameOf(key))?.rendering;
    return rendering === undefined || rendering.expiresAt <= now ? null : copyOf(rendering);
  };
  /** Evicts until `entry` fits; returns `false` if it would have to be evicted itself. */
  const makeSpaceFor = (entry: Entry): boolean => {
    if (maxBytes === null) return true;
    if (entry.bytes > maxBytes) return false;
    while (sumOf([...entries.values(), entry]) > maxBytes) {
      const byAccount = Map.groupBy([...entries.values(), entry], ({ accountId }) => accountId);
      const largest = Array.from(byAccount.values()).reduce((a, b) => (sumOf(b) > sumOf(a) ? b : a));
      const candidates = largest.filter((candidate) => candidate !== entry);
      if (candidates.length === 0) return false;
      const oldest = candidates.reduce((a, b) => (b.rendering.storedAt < a.rendering.storedAt ? b : a));
      entries.delete(nameOf(oldest));
    }
    return true;
  };
  return {
    async get(request) {
      return find(request);
    },
    async peek(request) {
      const rendering = find(request);
      if (rendering === null) return null;
      const { bytes: _, ...metadata } = rendering;
      return metadata;
    },
    async put({ rendering, ...key }) {
      if (deletions.has(key.accountId)) return;
      const entry = {
        ...key,
        rendering: copyOf(rendering),
        bytes: rendering.bytes.byteLength + OVERHEAD_BYTES,
      };
      entries.delete(nameOf(key));
      if (makeSpaceFor(entry)) entries.set(nameOf(key), entry);
    },
    async delete(key) {
      entries.delete(nameOf(key));
    },
    async prune({ now, limit }) {
      const expired = [...entries].filter(([, { rendering }]) => rendering.expiresAt <= now).slice(0, limit);
      for (const [name] of expired) entries.delete(name);
      return expired.length;
    },
    purge: async ({ accountId }) => purge(accountId),
    async deleteAccount({ accountId, now }) {
      deletions.set(accountId, now);
      return purge(accountId);
    },
    async stats() {
      return { bytes: sumOf([...entries.values()]), maxBytes, freeBytes: null, warnings: [] };
    },
  };
}

function sumOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

function nameOf({ accountId, key }: RenderingKey): string {
  return JSON.stringify([accountId, key]);
}

/** Copies the bytes separately, because a clone would contain their whole buffer, which may be larger. */
function copyOf({ bytes, ...metadata }: StoredRendering): StoredRendering {
  return { ...structuredClone(metadata), bytes: new Uint8Array(bytes) };
}
