import type { RenderedFile } from "./renderer.ts";

/** A rendering with its entity tag and expiry. */
export interface StoredRendering extends RenderedFile {
  /** Quoted strong entity tag: the SHA-256 of `bytes` in lowercase hex. */
  readonly etag: string;
  readonly storedAt: number;
  /** Instant from which it is no longer returned. */
  readonly expiresAt: number;
}

/** Identifies an account's rendering; `key` is the request's cache key. */
export interface RenderingKey {
  readonly accountId: string;
  readonly key: string;
}

/**
 * The rendering cache's durable store. Returns the stored bytes unchanged, and never another account's rendering.
 *
 * A rendering counts against the quota as its size plus 4,096 bytes. A `put` that would exceed the quota evicts the
 * oldest rendering (by `storedAt`) of the account with the most bytes, counting the new rendering, until the new one
 * fits. An account's share is the quota divided by the number of accounts with renderings. While the quota is exceeded,
 * the account with the most bytes is above its share, so no account at or below its share loses a rendering to another.
 * A rendering that does not fit is evicted immediately: `put` resolves, and removes the rendering that the new one
 * would have replaced. A store that runs out of space follows the same rule.
 */
export interface RenderingStore {
  /** Returns `null` if it does not exist or has expired by `now`. */
  get(request: RenderingKey & { readonly now: number }): Promise<StoredRendering | null>;
  /** Like `get`, without the bytes. */
  peek(request: RenderingKey & { readonly now: number }): Promise<Omit<StoredRendering, "bytes"> | null>;
  /**
   * Stores a rendering of any size, replacing an existing one, expired or not. After concurrent calls, one of their
   * renderings is stored, complete.
   */
  put(request: RenderingKey & { readonly rendering: StoredRendering }): Promise<void>;
  /** Deletes the rendering, if it exists. */
  delete(request: RenderingKey): Promise<void>;
  /**
   * Deletes at most `limit` renderings that have expired by `now`, or that no longer fit in the quota or the storage;
   * returns their number, which is 0 if the store deletes them itself.
   */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
  /**
   * Deletes all renderings of one account or of all accounts, in chunks; returns their number. New ones can be stored.
   */
  purge(request: { readonly accountId: string | null }): Promise<number>;
  /**
   * Like `purge`, for an account that is being deleted: `put` stores nothing for it for at least an hour, which is
   * longer than any running render.
   */
  deleteAccount(request: { readonly accountId: string; readonly now: number }): Promise<number>;
  /** Returns `null` if the store cannot tell. */
  stats(): Promise<CacheStats | null>;
}

/** How full the rendering cache is. */
export interface CacheStats {
  /** Total size of the renderings as counted against the quota. */
  readonly bytes: number;
  /** The quota; `null` if there is none. */
  readonly maxBytes: number | null;
  /** Free space where the renderings are stored; `null` if unknown or unlimited. */
  readonly freeBytes: number | null;
  /** Problems with the store, and what the operator should do about them. */
  readonly warnings: readonly CacheWarning[];
}

export interface CacheWarning {
  readonly code: "disk_low" | "redis_maxmemory" | "redis_policy";
  readonly message: string;
  readonly advice: string;
}

/** An account's renderings that were evicted before they expired. */
export interface Eviction {
  /** `quota`: the cache is full. `space`: its disk or memory is full. */
  readonly reason: "quota" | "space";
  readonly accountId: string;
  readonly renderings: number;
  /** Their total size as counted against the quota. */
  readonly bytes: number;
}
