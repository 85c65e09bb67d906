/**
 * A change that an operator made with a command or in the console; revealing a secret or signing with it counts as one.
 * Contains no secrets and no email addresses.
 */
export interface AuditEntry {
  readonly at: number;
  /**
   * The command without its arguments, such as `tokens revoke`; for a change over HTTP, the
   * equivalent one.
   */
  readonly command: string;
  /**
   * What it changed, such as `account acct_0123456789abcdef0123`, `token 7` or `all renderings`.
   */
  readonly subjects: readonly string[];
  /** The operating system user who ran it; `console` or `admin token` for a change over HTTP. */
  readonly user: string;
  /** The machine on which it ran; the address of the caller for a change over HTTP. */
  readonly host: string;
}

/** The durable, append-only audit log: the changes that operators made. */
export interface AuditStore {
  /** Stores the entry. Concurrent calls do not overwrite each other's entries. */
  append(entry: AuditEntry): Promise<void>;
  /**
   * Returns the entries since the instant `since`, ordered by instant, then in the order in which they were appended.
   */
  list(request: { readonly since: number }): Promise<readonly AuditEntry[]>;
  /** Deletes at most `limit` entries older than the instant `before`, oldest first; returns their number. */
  prune(request: { readonly before: number; readonly limit: number }): Promise<number>;
}
