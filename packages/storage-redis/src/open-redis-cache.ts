import type { RenderLeases, RenderingStore, Storage } from "@snap/engine/ports";
import { createRateLimiter } from "./rate-limiter.ts";
import { connectRedis } from "./connection/connect.ts";
import { createRenderLeases } from "./render-leases.ts";
import { createOwedDeletions } from "./renderings/owed-deletions.ts";
import { createRenderingStore } from "./renderings/renderings.ts";

export interface RedisCacheOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. */
  readonly url: string;
  /** What all keys begin with, so that several installations can share a Redis; `snap:` unless given. */
  readonly keyPrefix?: string;
  /**
   * Where renderings are kept, if that is another store: `createKeyvRenderings`, those of another
   * `openRedisCache`, or your own. In this Redis unless given.
   */
  readonly renderings?: RenderingStore;
  /** After so long without an answer Redis is taken to be gone, in milliseconds; 1,000 unless given. */
  readonly commandTimeoutMs?: number;
  /** Told once when Redis can't be used any more, and why. */
  readonly onError?: (error: Error) => void;
  /** Told once when Redis is back after that. */
  readonly onBack?: () => void;
}

/** The ports that Redis serves. */
export interface RedisCache extends Pick<Storage, "renderings" | "rateLimiter"> {
  readonly renderLeases: RenderLeases;
  /** Waits for what was sent, for `commandTimeoutMs` at most. */
  close(): Promise<void>;
}

/**
 * Opens the half of a storage that several machines share through Redis: cached renderings, request
 * budgets, and which renders are under way. Nothing in it has to last: accounts, credits and batches are
 * kept elsewhere.
 *
 * While Redis can't be used no method rejects or waits: budgets are counted in this process alone, nothing
 * is found or kept, and every process renders for itself. A Redis that is down when it is opened is waited
 * for in the same way. What was deleted or replaced meanwhile is deleted in Redis before it is used again.
 *
 * @throws Error for a malformed URL, a wrong password, missing rights, or a database that isn't there.
 *
 * @example
 * const cache = await openRedisCache({ url: "redis://127.0.0.1:6379", onError: (error) => console.error(error.message) });
 * const found = await cache.renderings.get({ accountId: "acct_1", key: "0f1e", now: Date.now() });
 * await cache.close();
 */
export async function openRedisCache(options: RedisCacheOptions): Promise<RedisCache> {
  const { url, keyPrefix = "snap:", commandTimeoutMs = 1000 } = options;
  const { onError = () => {}, onBack = () => {} } = options;
  const owed = createOwedDeletions();
  const connection = await connectRedis({
    url,
    keyPrefix,
    commandTimeoutMs,
    owed: {
      isEmpty: () => owed.isEmpty(),
      carryOut: (client) => owed.carryOut((keys) => client.unlink(keys)),
    },
    onError,
    onBack,
  });
  return {
    renderings: options.renderings ?? createRenderingStore(connection, { keyPrefix, owed }),
    rateLimiter: createRateLimiter(connection, keyPrefix),
    renderLeases: createRenderLeases(connection, keyPrefix),
    close: () => connection.close(),
  };
}
