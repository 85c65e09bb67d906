import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../ports/clock.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import type { RenderingKey, RenderingStore, StoredRendering } from "../ports/renderings.ts";

/** Room that the facts about a rendering take beside its bytes. */
const OVERHEAD_BYTES = 1024;

/**
 * The rendering cache: a store, with the latest renderings kept in memory before it. What is answered from memory
 * is compared with the store first, where others may have deleted or replaced it: its bytes don't travel again.
 */
export interface RenderingCache {
  lookUp(key: RenderingKey): Promise<StoredRendering | null>;
  /** What is held in memory, without a look at the store. */
  recall(key: RenderingKey): StoredRendering | null;
  store(key: RenderingKey, rendering: StoredRendering): Promise<void>;
}

export interface RenderingCacheOptions {
  readonly store: RenderingStore;
  readonly clock: Clock;
  /** Bytes of renderings kept in memory; 0 keeps none. */
  readonly memoryBytes: number;
}

export function createRenderingCache({ store, clock, memoryBytes }: RenderingCacheOptions): RenderingCache {
  const memory = new LRUCache<string, StoredRendering>({
    maxSize: Math.max(1, memoryBytes),
    sizeCalculation: (rendering) => rendering.bytes.byteLength + OVERHEAD_BYTES,
  });
  const recall = (key: RenderingKey): StoredRendering | null => {
    const held = memory.get(nameOf(key));
    return held !== undefined && held.expiresAt > clock.now() ? held : null;
  };
  return {
    recall,
    async lookUp(key) {
      const now = clock.now();
      const held = recall(key);
      if (held !== null) {
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
    async store(key, rendering) {
      await store.put({ ...key, rendering });
      memory.set(nameOf(key), rendering);
    },
  };
}

/** The digest in `key` is of a fixed length, so that no two pairs run together. */
function nameOf({ accountId, key }: RenderingKey): string {
  return `${key}:${accountId}`;
}

/** Strong entity tag of a body: its SHA-256, quoted (docs/decisions/caching.md). */
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
