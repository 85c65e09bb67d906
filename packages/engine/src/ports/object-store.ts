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
 * Why an object was not stored. `refused`: a retry fails the same way until the operator changes something, such as
 * the credentials. `unavailable`: the store is busy, down or not reachable. `timed-out`: it took too long.
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
