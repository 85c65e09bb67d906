/** An object to store. */
export interface PutObject {
  /** A relative path of at most 900 bytes in UTF-8, without empty, `.` or `..` segments. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of `bytes` in lowercase hex. */
  readonly sha256: string;
  readonly contentType: string;
}

/**
 * Why a request to a store failed. `refused`: a retry fails the same way until the operator changes
 * something, such as the credentials. `unavailable`: the store is busy, down or not reachable. `timed-out`:
 * it took too long.
 */
export interface StoreFailure {
  readonly reason: "refused" | "unavailable" | "timed-out";
  /** For the log; contains no secrets. */
  readonly detail: string;
}

/** The location of a stored object as an ASCII URI, such as `s3://bucket/key`, or why it was not stored. */
export type PutObjectOutcome = { readonly location: string } | { readonly failure: StoreFailure };

/** A place outside the service where callers can have renderings stored (`storeTo`). */
export interface ObjectStore {
  /**
   * Stores an object atomically, and replaces an existing one. Takes a limited time, and never rejects because of the
   * store.
   */
  put(object: PutObject): Promise<PutObjectOutcome>;
}

/** A store whose objects the service also reads, lists and deletes, for the bytes of its cached renderings. */
export interface ObjectBucket extends ObjectStore {
  /** Returns the object's bytes; `null` if it does not exist or is longer than `maxBytes`. */
  get(request: { readonly key: string; readonly maxBytes: number }): Promise<GetObjectOutcome>;
  /** Deletes the object, if it exists; returns `null` once it no longer does. */
  delete(key: string): Promise<StoreFailure | null>;
  /**
   * Returns the keys that start with `prefix` and follow `after`, in order of their UTF-8 bytes; at most
   * `limit` of them, which is at most 1,000.
   */
  list(request: {
    readonly prefix: string;
    readonly after: string;
    readonly limit: number;
  }): Promise<ListObjectsOutcome>;
}

export type GetObjectOutcome =
  { readonly bytes: Uint8Array<ArrayBuffer> | null } | { readonly failure: StoreFailure };
export type ListObjectsOutcome = { readonly keys: readonly string[] } | { readonly failure: StoreFailure };
