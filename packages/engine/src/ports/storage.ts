import type { AccountStore } from "./accounts.ts";
import type { AuditStore } from "./audit.ts";
import type { BatchStore } from "./batches.ts";
import type { ServerClock } from "./clock.ts";
import type { DocumentStore } from "./documents.ts";
import type { HistoryStore } from "./history.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { RenderLeases } from "./render-leases.ts";
import type { Ledger } from "./ledger.ts";
import type { RenderingStore } from "./renderings.ts";
import type { SignInStore } from "./sign-ins.ts";
import type { TokenStore } from "./tokens.ts";

/**
 * The engine's durable state. The conformance suites of `@snap/testing` test each port against its comments, and these
 * rules against all ports:
 *
 * - A method that neither prunes nor works in chunks is atomic, even under concurrent calls from several
 *   processes; if it rejects, it has changed nothing.
 * - Ids, keys and other strings can be any well-formed Unicode without NUL. They are compared exactly: case, spaces and
 *   Unicode normalization matter, and no character is a wildcard.
 * - An unknown id is not an error unless a method documents one, even an id that a database cannot
 *   store, such as one with NUL: the result is `null`, `false`, 0, `unknown` or empty.
 * - Stored and returned records are isolated: a change to an argument or a result, bytes included, changes nothing
 *   stored.
 * - A `limit` of 0 returns or deletes nothing. Reads delete only what is lost or corrupt, so an earlier `now`
 *   still finds what has expired.
 * - "In order of creation" means the order of the inserts, regardless of the records' instants.
 */
export interface Storage {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly ledger: Ledger;
  readonly renderings: RenderingStore;
  readonly rateLimiter: RateLimiter;
  readonly batches: BatchStore;
  readonly documents: DocumentStore;
  readonly audit: AuditStore;
  readonly history: HistoryStore;
  readonly signIns: SignInStore;
  /** For a storage used by several processes. Without it, identical requests share a render only within one process. */
  readonly renderLeases?: RenderLeases | undefined;
  /**
   * The clocks of its servers, for a storage used by several machines: a machine whose clock differs from one
   * of them by more than 2 s is not ready.
   */
  readonly clocks?: readonly ServerClock[] | undefined;
  /** Returns when the last backup was made; `null` before the first, or if other programs make the backups. */
  lastBackupAt(): Promise<number | null>;
  /** Rejects if the storage cannot write. */
  check(): Promise<void>;
  close(): Promise<void>;
}
