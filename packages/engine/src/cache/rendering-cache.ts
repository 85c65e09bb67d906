import { LIMITS } from "@snap/protocol";
import { LRUCache } from "lru-cache";
import type { Clock } from "../ports/clock.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import type { RenderingKey, RenderingStore, StoredRendering } from "../ports/renderings.ts";
import { entityTag } from "./entity-tag.ts";

/** Estimated size of a rendering's metadata. */
const OVERHEAD_BYTES = 1024;
const NO_BYTES = new Uint8Array();

/**
 * The rendering cache: a store behind an in-memory cache. Another process may have deleted or replaced a rendering, so
 * a memory hit is checked against the store's entity tag first; only the bytes are not transferred again.
 */
export interface RenderingCache {
  /** Returns the rendering. If the caller `holds` its entity tag, its bytes are included only if they are in memory. */
  lookUp(key: RenderingKey, holds?: (etag: string) => boolean): Promise<StoredRendering | null>;
  /** Returns the rendering if it is in memory, without reading the store. */
  recall(key: RenderingKey): StoredRendering | null;
  /** Stores a rendering; returns whether it is cached: one that does not fit is not. */
  store(key: RenderingKey, rendering: StoredRendering): Promise<boolean>;
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
    if (cached === undefined || cached.expiresAt <= clock.now()) return null;
    // empty if a caller has transferred the bytes to another thread
    return cached.bytes.byteLength > 0 ? cached : null;
  };
  return {
    recall,
    async lookUp(key, holds) {
      const now = clock.now();
      const recalled = recall(key);
      if (recalled !== null || holds !== undefined) {
        const metadata = await store.peek({ ...key, now });
        if (metadata !== null && metadata.etag === recalled?.etag)
          return { ...metadata, bytes: recalled.bytes };
        memory.delete(nameOf(key));
        if (metadata === null) return null;
        if (holds?.(metadata.etag)) return { ...metadata, bytes: NO_BYTES };
      }
      const stored = await store.get({ ...key, now });
      if (stored === null) return null;
      if ((await entityTag(stored.bytes)) !== stored.etag) {
        // corrupt in the store: a cache miss
        await store.delete(key);
        return null;
      }
      memory.set(nameOf(key), stored);
      return stored;
    },
    async store(key, rendering) {
      await store.put({ ...key, rendering });
      const isStored = (await store.peek({ ...key, now: clock.now() })) !== null;
      if (isStored) memory.set(nameOf(key), rendering);
      return isStored;
    },
  };
}

/** The name is unambiguous, because the digest in `key` has a fixed length. */
function nameOf({ accountId, key }: RenderingKey): string {
  return `${key}:${accountId}`;
}

/** Adds the entity tag and expiry to a new rendering. */
export async function toStoredRendering(
  file: RenderedFile,
  {
    now,
    ttlSeconds = LIMITS.cacheTtlDefaultSeconds,
  }: { readonly now: number; readonly ttlSeconds: number | undefined },
): Promise<StoredRendering> {
  return { ...file, etag: await entityTag(file.bytes), storedAt: now, expiresAt: now + ttlSeconds * 1000 };
}
