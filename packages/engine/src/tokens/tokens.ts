import { accountNotFound, AdminError } from "../errors.ts";
import type { Account, AccountStore } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import type { Ability, TokenRecord, TokenStore } from "../ports/tokens.ts";
import { checkSecretKey, decrypts, requireSecretKey, type KeyMatch } from "./check-secret-key.ts";
import type { Seal } from "./seal.ts";
import { hashSecret, makeSecret } from "./token-text.ts";

/** Every ability that a token can have. */
export const ABILITIES: readonly Ability[] = ["screenshot", "pdf"];

/** A token with its secrets, which are available only when it is created or rotated. */
export interface MintedToken {
  readonly record: TokenRecord;
  /** The bearer token, `<id>|<secret>`. */
  readonly token: string;
  readonly signingSecret: string;
}

/** Administration of tokens. Every method throws `AdminError`, with a message for the operator, on invalid input. */
export interface Tokens {
  /** Creates a token; by default with all abilities and without expiry. */
  create(token: {
    readonly accountId: string;
    readonly abilities?: readonly Ability[];
    readonly expiresAt?: number | null;
  }): Promise<MintedToken>;
  list(accountId: string): Promise<readonly TokenRecord[]>;
  /** Replaces both secrets at once; id, abilities and expiry stay the same. */
  rotate(id: number): Promise<MintedToken>;
  /** Deletes the token. */
  revoke(id: number): Promise<void>;
  /** Deletes all tokens of an account; returns their ids. */
  revokeAll(accountId: string): Promise<readonly number[]>;
  /** Returns the token's record and signing secret. */
  reveal(id: number): Promise<{ readonly record: TokenRecord; readonly signingSecret: string }>;
  /** Compares the secret key with the one that encrypted the newest signing secret. */
  checkSecretKey(): Promise<KeyMatch>;
  /**
   * Gives a new signing secret to every token whose secret the secret key does not decrypt, and returns these tokens. With
   * `dryRun` it only returns them. The tokens themselves stay valid; their signed URLs do not.
   */
  replaceLostSecrets(options?: { readonly dryRun?: boolean }): Promise<readonly TokenRecord[]>;
}

export interface TokensOptions {
  readonly store: TokenStore;
  readonly accounts: AccountStore;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly random: Random;
}

export function createTokens({ store, accounts, seal, clock, random }: TokensOptions): Tokens {
  const requireAccount = async (id: string): Promise<Account> => {
    const account = await accounts.find(id);
    if (account === null) throw accountNotFound(id);
    return account;
  };
  const makeSecrets = (): { secret: string; signingSecret: string } & Pick<
    TokenRecord,
    "secretHash" | "sealedSigningSecret"
  > => {
    const secret = makeSecret(random);
    const signingSecret = makeSecret(random);
    return {
      secret,
      signingSecret,
      secretHash: hashSecret(secret),
      sealedSigningSecret: seal.seal(signingSecret),
    };
  };
  return {
    checkSecretKey: () => checkSecretKey(store, seal),
    async replaceLostSecrets({ dryRun = false } = {}) {
      const lost: TokenRecord[] = [];
      for (const { id } of await accounts.list())
        lost.push(...(await store.listByAccount(id)).filter((token) => !decrypts(seal, token)));
      if (dryRun) return lost;
      const replaced = lost.map(({ id, sealedSigningSecret: current }) =>
        store.replaceSigningSecret(id, { current, next: seal.seal(makeSecret(random)) }),
      );
      // a token that has been rotated or revoked since needs no new secret
      return (await Promise.all(replaced)).filter((token) => token !== null);
    },
    async create({ accountId, abilities = ABILITIES, expiresAt = null }) {
      const { deletionStartedAt } = await requireAccount(accountId);
      if (deletionStartedAt !== null) throw new AdminError(`account ${accountId} is being deleted`);
      if (abilities.length === 0)
        throw new AdminError(`a token needs at least one ability: ${ABILITIES.join(" or ")}`, {
          code: "invalid_value",
        });
      const now = clock.now();
      if (expiresAt !== null && expiresAt <= now)
        throw new AdminError("the expiry must be in the future", { code: "invalid_value" });
      await requireSecretKey(store, seal);
      const { secret, signingSecret, ...stored } = makeSecrets();
      const record = await store.insert({
        accountId,
        abilities: ABILITIES.filter((ability) => abilities.includes(ability)),
        ...stored,
        createdAt: now,
        expiresAt,
        rotatedAt: null,
      });
      return { record, token: `${record.id}|${secret}`, signingSecret };
    },
    async list(accountId) {
      await requireAccount(accountId);
      return store.listByAccount(accountId);
    },
    async rotate(id) {
      await requireSecretKey(store, seal);
      const { secret, signingSecret, ...stored } = makeSecrets();
      const record = await store.rotate(id, { ...stored, rotatedAt: clock.now() });
      if (record === null) throw tokenNotFound(id);
      return { record, token: `${record.id}|${secret}`, signingSecret };
    },
    async revoke(id) {
      if (!(await store.revoke(id))) throw tokenNotFound(id);
    },
    async revokeAll(accountId) {
      await requireAccount(accountId);
      return store.revokeAll(accountId);
    },
    async reveal(id) {
      const found = await store.find(id);
      if (found === null) throw tokenNotFound(id);
      return { record: found.token, signingSecret: seal.open(found.token.sealedSigningSecret) };
    },
  };
}

function tokenNotFound(id: number): AdminError {
  return new AdminError(`token ${id} not found`, { code: "token_not_found" });
}
