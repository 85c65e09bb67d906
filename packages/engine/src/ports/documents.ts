/** One file of a document. */
export interface DocumentFile {
  /** Relative, separated by `/`, in Unicode NFC. */
  readonly path: string;
  /** With `charset=utf-8` for text. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A stored document, without its files. */
export interface DocumentRecord {
  readonly accountId: string;
  /** Digest of the files as they were sent, with their paths: 64 lowercase hex digits. */
  readonly id: string;
  /** Media type of the upload: `text/html`, `text/markdown`, `application/zip` or `multipart/form-data`. */
  readonly contentType: string;
  /** Total size of the files. */
  readonly bytes: number;
  /** Number of files. */
  readonly files: number;
  readonly storedAt: number;
  /** Instant from which it is no longer returned. */
  readonly expiresAt: number;
}

/** Identifies an account's document. */
export interface DocumentKey {
  readonly accountId: string;
  readonly id: string;
}

/** How much an account may store or has stored. Expired documents do not count. */
export interface DocumentQuota {
  readonly documents: number;
  readonly bytes: number;
}

export interface PutDocument {
  /** Its `storedAt` is the current instant. */
  readonly document: DocumentRecord;
  readonly files: readonly DocumentFile[];
  readonly quota: DocumentQuota;
}

/** `exceeded`: the part of the quota that the account would exceed; `documents` if both. `used`: what it has stored. */
export type PutOutcome =
  | { readonly stored: true; readonly document: DocumentRecord }
  | { readonly stored: false; readonly exceeded: keyof DocumentQuota; readonly used: DocumentQuota };

/** All accounts' uploaded documents. Returns the stored bytes unchanged, and never another account's document. */
export interface DocumentStore {
  /**
   * Stores a document completely or not at all, and returns its record. If it would exceed the quota, stores nothing,
   * and returns what the account has stored. If the account already has the document, only sets its expiry to the later
   * one, regardless of the quota. An expired document counts as absent, and is replaced. Atomic: concurrent calls never
   * exceed the quota. For an account whose deletion has started, stores nothing and still returns `stored: true`.
   */
  put(request: PutDocument): Promise<PutOutcome>;
  /** Returns `null` if it does not exist or has expired by `now`. */
  find(request: DocumentKey & { readonly now: number }): Promise<DocumentRecord | null>;
  /** Returns `null` if the document or file does not exist, or the document has expired by `now`. */
  readFile(
    request: DocumentKey & { readonly path: string; readonly now: number },
  ): Promise<DocumentFile | null>;
  /** Deletes a document with its files; returns whether it existed and had not expired by `now`. */
  delete(request: DocumentKey & { readonly now: number }): Promise<boolean>;
  /** Deletes at most `limit` documents that have expired by `now`; returns their number. */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
  /** Deletes all of an account's documents, in chunks; returns their number. */
  deleteAccount(request: { readonly accountId: string; readonly now: number }): Promise<number>;
}
