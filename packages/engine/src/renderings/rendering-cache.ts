import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../ports/clock.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import type { RenderingKey, RenderingStore, StoredRendering } from "../ports/renderings.ts";

/** Room that the facts about a rendering take beside its bytes. */
const OVERHEAD_BYTES = 1024;

/** The rendering cache: a store, with the latest renderings kept in memory before it. */
export interface RenderingCache {
  /** What is held in memory and may be answered as it is; `null` for what only the store can tell. */
  recall(key: RenderingKey): StoredRendering | null;
  /** Whether it is held in memory, so that the store is likely to have it. */
  holds(key: RenderingKey): boolean;
  lookup(key: RenderingKey): Promise<StoredRendering | null>;
  /** Keeps it by `put`, which is the store's own unless given. */
  keep(key: RenderingKey, rendering: StoredRendering, put?: RenderingStore["put"]): Promise<void>;
}

export interface RenderingCacheOptions {
  readonly store: RenderingStore;
  /** Others delete and replace what is in the store: nothing is then answered without a look at it. */
  readonly isShared: boolean;
  readonly clock: Clock;
  /** Bytes of renderings kept in memory; 0 keeps none. */
  readonly memoryBytes: number;
}

export function createRenderingCache({
  store,
  isShared,
  clock,
  memoryBytes,
}: RenderingCacheOptions): RenderingCache {
  const memory = new LRUCache<string, StoredRendering>({
    maxSize: Math.max(1, memoryBytes),
    sizeCalculation: (rendering) => rendering.bytes.byteLength + OVERHEAD_BYTES,
  });
  const heldOf = (key: RenderingKey): StoredRendering | null => {
    const held = memory.get(nameOf(key));
    return held !== undefined && held.expiresAt > clock.now() ? held : null;
  };
  return {
    recall: (key) => (isShared ? null : heldOf(key)),
    holds: (key) => heldOf(key) !== null,
    async lookup(key) {
      const now = clock.now();
      const held = heldOf(key);
      if (held !== null && !isShared) return held;
      if (held !== null) {
        // The bytes don't travel again.
        const described = await store.peek({ ...key, now });
        if (described?.etag === held.etag) return { ...described, bytes: held.bytes };
        memory.delete(nameOf(key));
        if (described === null) return null;
      }
      const stored = await store.get({ ...key, now });
      if (stored === null) return null;
      if (entityTag(stored.bytes) !== stored.etag) {
        // Corrupt at rest: as if it had never been there (faults.md).
        await store.delete(key);
        return null;
      }
      memory.set(nameOf(key), stored);
      return stored;
    },
    async keep(key, rendering, put = (request) => store.put(request)) {
      await put({ ...key, rendering });
      memory.set(nameOf(key), rendering);
    },
  };
}

/** The digest in `key` is of a fixed length, so that no two pairs run together. */
function nameOf({ accountId, key }: RenderingKey): string {
  return `${key}:${accountId}`;
}

/** Strong entity tag of a body: its SHA-256, quoted (decisions.md, `ETag`). */
function entityTag(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("hex")}"`;
}

/** A fresh rendering with its entity tag and life. */
export function toStoredRendering(
  file: RenderedFile,
  { now, ttlSeconds }: { readonly now: number; readonly ttlSeconds: number },
): StoredRendering {
  return { ...file, etag: entityTag(file.bytes), storedAt: now, expiresAt: now + ttlSeconds * 1000 };
}
