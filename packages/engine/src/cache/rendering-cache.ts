import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../ports/clock.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import type { RenderingKey, RenderingStore, StoredRendering } from "../ports/renderings.ts";

/** Estimated size of a rendering's metadata. */
const OVERHEAD_BYTES = 1024;

/**
 * The rendering cache: a store behind an in-memory cache. Another process may have deleted or replaced a rendering, so
 * a memory hit is checked against the store's entity tag first; only the bytes are not transferred again.
 */
export interface RenderingCache {
  lookUp(key: RenderingKey): Promise<StoredRendering | null>;
  /** Returns the rendering if it is in memory, without a read of the store. */
  recall(key: RenderingKey): StoredRendering | null;
  store(key: RenderingKey, rendering: StoredRendering): Promise<void>;
}

export interface RenderingCacheOptions {
  readonly store: RenderingStore;
  readonly clock: Clock;
  /** Size of the in-memory cache; 0 disables it. */
  readonly memoryBytes: number;
}

export function createRenderingCache({ store, clock, memoryBytes }: RenderingCacheOptions): RenderingCache {
  const memory = new LRUCache<string, StoredRendering>({
    maxSize: Math.max(1, memoryBytes),
    sizeCalculation: (rendering) => rendering.bytes.byteLength + OVERHEAD_BYTES,
  });
  const recall = (key: RenderingKey): StoredRendering | null => {
    const cached = memory.get(nameOf(key));
    return cached !== undefined && cached.expiresAt > clock.now() ? cached : null;
  };
  return {
    recall,
    async lookUp(key) {
      const now = clock.now();
      const recalled = recall(key);
      if (recalled !== null) {
        const metadata = await store.peek({ ...key, now });
        if (metadata?.etag === recalled.etag) return { ...metadata, bytes: recalled.bytes };
        memory.delete(nameOf(key));
        if (metadata === null) return null;
      }
      const stored = await store.get({ ...key, now });
      if (stored === null) return null;
      if (entityTag(stored.bytes) !== stored.etag) {
        // corrupted in the store: a cache miss
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

/** Unambiguous, because the digest in `key` has a fixed length. */
function nameOf({ accountId, key }: RenderingKey): string {
  return `${key}:${accountId}`;
}

/** The strong entity tag of a body (RFC 9110, 8.8.3): its quoted SHA-256. */
function entityTag(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("hex")}"`;
}

/** Adds the entity tag and the expiry to a new rendering. */
export function toStoredRendering(
  file: RenderedFile,
  { now, ttlSeconds }: { readonly now: number; readonly ttlSeconds: number },
): StoredRendering {
  return { ...file, etag: entityTag(file.bytes), storedAt: now, expiresAt: now + ttlSeconds * 1000 };
}
