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

/** The durable store of the rendering cache. Returns identical bytes, and never a rendering of another account. */
export interface RenderingStore {
  /** Returns `null` if it does not exist or has expired by `now`. */
  get(request: RenderingKey & { readonly now: number }): Promise<StoredRendering | null>;
  /** Like `get`, without the bytes. */
  peek(request: RenderingKey & { readonly now: number }): Promise<Omit<StoredRendering, "bytes"> | null>;
  /** Stores a rendering, replacing an existing one. */
  put(request: RenderingKey & { readonly rendering: StoredRendering }): Promise<void>;
  delete(request: RenderingKey): Promise<void>;
  /**
   * Deletes at most `limit` renderings that have expired by `now`; returns their number, which is 0 if the store expires
   * them itself.
   */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
}
