import type { RenderedFile } from "./renderer.ts";

/** A rendering that is kept: the file, its entity tag and its life. */
export interface StoredRendering extends RenderedFile {
  /** Quoted strong entity tag: the SHA-256 of `bytes` in lowercase hex. */
  readonly etag: string;
  readonly storedAt: number;
  /** Instant from which it is no longer answered. */
  readonly expiresAt: number;
}

/** Names one rendering of one account; `key` is the digest of the request. */
export interface RenderingKey {
  readonly accountId: string;
  readonly key: string;
}

/** The rendering cache. Bytes come back identical; an account never sees another's. */
export interface RenderingStore {
  /** `null` when there is none or it has expired by `now`. */
  get(request: RenderingKey & { readonly now: number }): Promise<StoredRendering | null>;
  /** The same without the bytes. */
  peek(request: RenderingKey & { readonly now: number }): Promise<Omit<StoredRendering, "bytes"> | null>;
  /** Stores, replacing what was there. */
  put(request: RenderingKey & { readonly rendering: StoredRendering }): Promise<void>;
  delete(request: RenderingKey): Promise<void>;
  /**
   * Deletes at most `limit` renderings that have expired by `now`; answers how many: always 0 where they
   * go by themselves.
   */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
}
