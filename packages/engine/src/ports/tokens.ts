import type { Account } from "./accounts.ts";
import type { StandingBalance } from "./ledger.ts";

/** The two modes of a rendering, which are also the permissions of a token. */
export type Ability = "screenshot" | "pdf";

/** A stored token: never the token's own text, only what checks it. */
export interface TokenRecord {
  /** The number before the pipe. */
  readonly id: number;
  readonly accountId: string;
  readonly abilities: readonly Ability[];
  /** SHA-256 of the part behind the pipe, in lowercase hex. */
  readonly secretHash: string;
  /** The signing secret, encrypted under the server's key, in lowercase hex. */
  readonly sealedSigningSecret: string;
  readonly createdAt: number;
  /** Instant from which it is refused, or `null`. */
  readonly expiresAt: number | null;
  /** Instant of the last rotation, or `null`. */
  readonly rotatedAt: number | null;
}

/** Who asks: a token, the account that owns it, and the account's latest balance, as they were read at once. */
export interface Principal {
  readonly token: TokenRecord;
  readonly account: Account;
  /** `null` before the first period. */
  readonly balance: StandingBalance | null;
}

/** Durable tokens. Ids are positive integers, never given twice, not even after a revocation. */
export interface TokenStore {
  /** Stores a token under a new id. */
  insert(token: Omit<TokenRecord, "id">): Promise<TokenRecord>;
  /** All that a request has to know of who sends it, in one read. */
  find(id: number): Promise<Principal | null>;
  /** In the order of creation. */
  listByAccount(accountId: string): Promise<readonly TokenRecord[]>;
  /** Exchanges both secrets in one step; `null` when there is no such token. */
  rotate(
    id: number,
    next: Pick<TokenRecord, "secretHash" | "sealedSigningSecret"> & { readonly rotatedAt: number },
  ): Promise<TokenRecord | null>;
  /** Deletes the token; `false` when there was none. */
  revoke(id: number): Promise<boolean>;
}
