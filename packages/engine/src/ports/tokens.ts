import type { Account } from "./accounts.ts";
import type { StandingBalance } from "./ledger.ts";

/** A mode of rendering, as a permission of a token. */
export type Ability = "screenshot" | "pdf";

/** A stored token. It contains a hash, never the token's text. */
export interface TokenRecord {
  /** The number before the pipe. */
  readonly id: number;
  readonly accountId: string;
  readonly abilities: readonly Ability[];
  /** SHA-256 of the part after the pipe, in lowercase hex. */
  readonly secretHash: string;
  /** The signing secret, encrypted under the server's key, in lowercase hex. */
  readonly sealedSigningSecret: string;
  readonly createdAt: number;
  /** Instant from which it is rejected, or `null`. */
  readonly expiresAt: number | null;
  /** Instant of the last rotation, or `null`. */
  readonly rotatedAt: number | null;
}

/** An authenticated caller: a token, its account and the account's latest balance, read together. */
export interface Principal {
  readonly token: TokenRecord;
  readonly account: Account;
  /** `null` before the first period. */
  readonly balance: StandingBalance | null;
}

/** Durable tokens. Ids are positive integers and never reused, even after a revocation. */
export interface TokenStore {
  /** Stores a token with a new id. */
  insert(token: Omit<TokenRecord, "id">): Promise<TokenRecord>;
  /** Returns the principal of a token in one read, or `null` if it does not exist. */
  find(id: number): Promise<Principal | null>;
  /** Returns the tokens of an account, in order of creation. */
  listByAccount(accountId: string): Promise<readonly TokenRecord[]>;
  /** Returns the token with the highest id, or `null` if there is none. */
  findNewest(): Promise<TokenRecord | null>;
  /** Replaces both secrets atomically; returns `null` if the token does not exist. */
  rotate(
    id: number,
    next: Pick<TokenRecord, "secretHash" | "sealedSigningSecret"> & { readonly rotatedAt: number },
  ): Promise<TokenRecord | null>;
  /**
   * Replaces the signing secret if it is still `current`, both in lowercase hex; returns `null` if it is not, or if the
   * token does not exist.
   */
  replaceSigningSecret(
    id: number,
    secrets: { readonly current: string; readonly next: string },
  ): Promise<TokenRecord | null>;
  /** Deletes the token; returns `false` if it does not exist. */
  revoke(id: number): Promise<boolean>;
  /** Deletes all tokens of an account; returns their ids, in order of creation. */
  revokeAll(accountId: string): Promise<readonly number[]>;
}
