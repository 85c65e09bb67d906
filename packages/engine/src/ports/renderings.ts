import type { RenderedFile } from "./renderer.ts";

/** A rendering with its entity tag and expiry. */
export interface StoredRendering extends RenderedFile {
  /** Quoted strong entity tag: the SHA-256 of `bytes` in lowercase hex. */
  readonly etag: string;
  readonly storedAt: number;
  /** Instant from which it is no longer returned. */
  readonly expiresAt: number;
}

/** Identifies a rendering of an account; `key` is the cache key of the request. */
export interface RenderingKey {
  readonly accountId: string;
  readonly key: string;
}

/**
 * The durable store of the rendering cache. Returns identical bytes, and never a rendering of another account.
 *
 * Against a quota, the size of a rendering is its bytes and 4,096 more. Before a `put` would exceed the quota, it evicts
 * the oldest rendering (by `storedAt`) of the account with the most bytes, counting the new rendering, until that fits.
 * The fair share of an account is the quota divided by the number of accounts that have renderings. While the quota is
 * exceeded, the account with the most bytes is above its share, so no account at or below its share loses a rendering
 * to another. A rendering that does not fit is evicted at once: `put` resolves, and removes what it would have replaced.
 * A store that runs out of space evicts by the same rule.
 */
export interface RenderingStore {
  /** Returns `null` if it does not exist or has expired by `now`. */
  get(request: RenderingKey & { readonly now: number }): Promise<StoredRendering | null>;
  /** Like `get`, without the bytes. */
  peek(request: RenderingKey & { readonly now: number }): Promise<Omit<StoredRendering, "bytes"> | null>;
  /** Stores a rendering, replacing an existing one. */
  put(request: RenderingKey & { readonly rendering: StoredRendering }): Promise<void>;
  delete(request: RenderingKey): Promise<void>;
  /**
   * Deletes at most `limit` renderings that have expired by `now`, or that no longer fit into the quota or the storage;
   * returns their number, which is 0 if the store deletes them itself.
   */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
  /** Deletes all renderings of an account, or of all accounts, in chunks; returns their number. */
  purge(request: { readonly accountId: string | null }): Promise<number>;
  /**
   * Like `purge`, for an account that is being deleted: from now on, `put` stores nothing for it for an hour at least,
   * which is longer than any render in flight.
   */
  deleteAccount(request: { readonly accountId: string; readonly now: number }): Promise<number>;
  /** Returns `null` if the store cannot tell. */
  stats(): Promise<CacheStats | null>;
}

/** How full the rendering cache is. */
export interface CacheStats {
  /** Total size of the renderings, as it counts against the quota. */
  readonly bytes: number;
  /** The quota; `null` without one. */
  readonly maxBytes: number | null;
  /** Free space where the renderings are stored; `null` if unknown or unlimited. */
  readonly freeBytes: number | null;
  /** What is wrong with the store, and what the operator should do about it. */
  readonly warnings: readonly CacheWarning[];
}

export interface CacheWarning {
  readonly code: "disk_low" | "redis_maxmemory" | "redis_policy";
  readonly message: string;
  readonly advice: string;
}

/** Renderings of an account that were evicted before they expired. */
export interface Eviction {
  /** `quota`: the cache is full. `space`: the disk or the memory that it is stored in is full. */
  readonly reason: "quota" | "space";
  readonly accountId: string;
  readonly renderings: number;
  /** Their total size, as it counted against the quota. */
  readonly bytes: number;
}
