import type { Eviction, RenderLeases, ServerClock, Storage } from "@snap/engine/ports";
import { createRateLimiter } from "./rate-limiter.ts";
import { readTime } from "./connection/client.ts";
import { connectRedis } from "./connection/connect.ts";
import { createRenderLeases } from "./render-leases.ts";
import { createPendingDeletions } from "./renderings/pending-deletions.ts";
import { createRenderingStore } from "./renderings/renderings.ts";

export interface RedisCacheOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. */
  readonly url: string;
  /** Prefix of all keys, so several installations can share a Redis; `snap:` by default. */
  readonly keyPrefix?: string;
  /**
   * Maximum size of all cached renderings, each counted as its bytes plus 4,096. Must be the same in
   * all processes. By default 80% of Redis's `maxmemory`, or half of its machine's memory if that is
   * not set.
   */
  readonly cacheMaxBytes?: number | null;
  /** Called when this process evicts renderings, or cannot fit one. */
  readonly onEvicted?: ((eviction: Eviction) => void) | undefined;
  /** Time without a response after which Redis counts as unavailable, in milliseconds; 1,000 by default. */
  readonly commandTimeoutMs?: number;
  /**
   * Whether to reject if Redis cannot be reached on opening: a wrong address or an untrusted certificate would otherwise
   * look like an outage. `false` by default.
   */
  readonly isRequired?: boolean;
  /** Called once, with the reason, when Redis becomes unavailable or stops transferring renderings. */
  readonly onError?: (error: Error) => void;
  /** Called once when Redis is available again; not when it transfers renderings again. */
  readonly onRecovered?: () => void;
}

/** The ports that Redis implements. */
export interface RedisCache extends Pick<Storage, "renderings" | "rateLimiter"> {
  readonly clocks: readonly ServerClock[];
  readonly renderLeases: RenderLeases;
  /** Waits for pending commands, at most `commandTimeoutMs`. */
  close(): Promise<void>;
}

/**
 * Opens the part of a storage that several machines share through Redis: cached renderings, rate limits and render leases.
 * None of it needs to be durable: accounts, credits and batches are in another storage.
 *
 * While Redis is unavailable, no method waits. Each process enforces rate limits on its own, nothing is
 * cached, and identical requests share a render only within one process. Only `purge` and
 * `deleteAccount` of renderings reject, because renderings would remain. The same applies if Redis is
 * down on opening, unless it is required.
 * Renderings that are deleted or replaced in the meantime, at most the latest 50,000, are deleted in Redis
 * before it is used again.
 *
 * @throws RedisUnreachableError if Redis is required and cannot be reached.
 * @throws Error for a malformed URL, a wrong password, missing permissions, a database number that does not exist, or a
 * version that is too old.
 *
 * @example
 * const cache = await openRedisCache({ url: "redis://127.0.0.1:6379", onError: (error) => console.error(error.message) });
 * const found = await cache.renderings.get({ accountId: "acct_1", key: "0f1e", now: Date.now() });
 * await cache.close();
 */
export async function openRedisCache(options: RedisCacheOptions): Promise<RedisCache> {
  const { url, keyPrefix = "snap:", commandTimeoutMs = 1000, isRequired = false } = options;
  const { onError = () => {}, onRecovered = () => {}, onEvicted = () => {} } = options;
  const pending = createPendingDeletions();
  const connection = await connectRedis({
    url,
    keyPrefix,
    commandTimeoutMs,
    isRequired,
    pending: {
      isEmpty: () => pending.isEmpty(),
      flush: (client) => pending.flush((names) => client.deleteRenderings(keyPrefix, names)),
    },
    onError: guard(onError),
    onRecovered: guard<void>(onRecovered),
  });
  return {
    renderings: createRenderingStore(connection, {
      keyPrefix,
      pending,
      cacheMaxBytes: options.cacheMaxBytes ?? null,
      onEvicted: guard(onEvicted),
    }),
    rateLimiter: createRateLimiter(connection, keyPrefix),
    renderLeases: createRenderLeases(connection, keyPrefix),
    clocks: [
      {
        name: "Redis",
        now: () =>
          connection.attempt(
            () => readTime(connection.client),
            () => null,
          ),
      },
    ],
    close: () => connection.close(),
  };
}

/**
 * Returns a callback whose errors and rejections become process warnings: they must not look like failures of Redis, or
 * end the process.
 */
function guard<T>(callback: (value: T) => void): (value: T) => void {
  const call = async (value: T): Promise<void> => callback(value);
  const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
  return (value) => void call(value).catch(warn);
}
