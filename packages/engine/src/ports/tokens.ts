import type { Account } from "./accounts.ts";
import type { StandingBalance } from "./ledger.ts";

/** A rendering mode, as a token's permission. */
export type Ability = "screenshot" | "pdf";

/** A token's secrets from before its last rotation, which work until the overlap ends. */
export interface PreviousSecrets {
  readonly secretHash: string;
  readonly sealedSigningSecret: string;
  /** Instant from which they are rejected. */
  readonly endsAt: number;
}

/** A stored token. It contains a hash, never the token's text. */
export interface TokenRecord {
  /** The number before the pipe in the token's text, `<id>|<secret>`. */
  readonly id: number;
  readonly accountId: string;
  /** What it is for, in the operator's words, or `null`. */
  readonly name: string | null;
  readonly abilities: readonly Ability[];
  /** SHA-256 of the part after the pipe, in lowercase hex. */
  readonly secretHash: string;
  /** The signing secret, encrypted with the service's secret key, in lowercase hex. */
  readonly sealedSigningSecret: string;
  readonly createdAt: number;
  /** Instant from which it is rejected, or `null`. */
  readonly expiresAt: number | null;
  /** Instant of the last rotation, or `null`. */
  readonly rotatedAt: number | null;
  /** `null` if the last rotation had no overlap. Stored until the next rotation, even after the overlap. */
  readonly previous: PreviousSecrets | null;
  /**
   * Instant of its last use, rounded down to the hour but not below `createdAt`, and stored seconds later;
   * `null` before the first.
   */
  readonly lastUsedAt: number | null;
}

/** An authenticated caller: a token, its account and the account's latest balance, read together. */
export interface Principal {
  readonly token: TokenRecord;
  readonly account: Account;
  /** `null` before the first period. */
  readonly balance: StandingBalance | null;
  /** Whether the caller used the secrets from before the last rotation. */
  readonly usesPrevious?: true;
}

/** The secrets that a rotation stores. */
export interface NextSecrets extends Pick<TokenRecord, "secretHash" | "sealedSigningSecret"> {
  readonly rotatedAt: number;
  /**
   * When the current secrets, which become the previous ones, stop working; `null` ends them and any
   * earlier ones immediately.
   */
  readonly overlapEndsAt: number | null;
}

/** `rotated` is `false` if the secrets of an earlier overlap still work; they work until `overlapEndsAt`. */
export type Rotation =
  | { readonly rotated: true; readonly token: TokenRecord }
  | { readonly rotated: false; readonly overlapEndsAt: number };

/** `change` says what `TokenStore.ensure` did; `none` if the token was already stored. */
export interface EnsuredToken {
  readonly token: TokenRecord;
  readonly change: "created" | "rotated" | "none";
}

/** Durable tokens. Ids are positive integers and never reused, even after a revocation. */
export interface TokenStore {
  /**
   * Stores a token with a new id, which no token has had before.
   *
   * @throws Error if the account does not exist.
   */
  insert(token: Omit<TokenRecord, "id" | "previous" | "lastUsedAt">): Promise<TokenRecord>;
  /**
   * Stores a token with a new id, unless its account has one with its name. If that one has a different `secretHash`,
   * replaces both of its secrets, its abilities and its expiry, sets its `rotatedAt` to the given `createdAt`, and ends
   * the secrets of an overlap. Atomic: concurrent calls store one token.
   */
  ensure(
    token: Omit<TokenRecord, "id" | "previous" | "lastUsedAt"> & { readonly name: string },
  ): Promise<EnsuredToken>;
  /**
   * Returns a token's principal in one read, or `null` if the token does not exist. The balance is the stored one of
   * the latest period, or `null`: only the ledger opens a period, and marks reservations as lapsed.
   */
  find(id: number): Promise<Principal | null>;
  /** Returns an account's tokens, in order of creation; none for an unknown account. */
  listByAccount(accountId: string): Promise<readonly TokenRecord[]>;
  /** Returns the token with the highest id, or `null` if there is none. */
  findNewest(): Promise<TokenRecord | null>;
  /**
   * Replaces both secrets, and those of an earlier overlap, atomically; besides them, only `rotatedAt`
   * changes. Returns `null` if the token does not exist. If `next` has an overlap and an earlier one ends
   * after `rotatedAt`, replaces nothing.
   */
  rotate(id: number, next: NextSecrets): Promise<Rotation | null>;
  /** Stores the instant of a use, unless a later one is stored. Does nothing if the token does not exist. */
  recordUse(use: { readonly id: number; readonly usedAt: number }): Promise<void>;
  /**
   * If the signing secret is still `current`, replaces it with `next`, and the previous one too, if there is one.
   * Returns `null` if it is not, or if the token does not exist. Changes no other field. `current` and `next` are
   * encrypted, in lowercase hex.
   */
  replaceSigningSecret(
    id: number,
    secrets: { readonly current: string; readonly next: string },
  ): Promise<TokenRecord | null>;
  /** Deletes the token; returns `false` if it does not exist. If calls are concurrent, only one returns `true`. */
  revoke(id: number): Promise<boolean>;
  /** Deletes all of an account's tokens; returns their ids, in order of creation. */
  revokeAll(accountId: string): Promise<readonly number[]>;
}
