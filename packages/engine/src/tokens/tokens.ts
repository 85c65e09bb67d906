import { accountNotFound, AdminError, requireNotBeingDeleted } from "../errors.ts";
import type { Account, AccountStore } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import type { Ability, Principal, TokenRecord, TokenStore } from "../ports/tokens.ts";
import { isIntegerWithin } from "../option-values.ts";
import { checkSecretKey, openSigningSecret, requireMatchingKey, type KeyMatch } from "./check-secret-key.ts";
import { replaceLostSecrets } from "./replace-lost-secrets.ts";
import type { Seal } from "./seal.ts";
import { OVERLAP_MAX_MS } from "./previous-secrets.ts";
import { hashSecret, makeSecret } from "./token-text.ts";

/** Every ability that a token can have. */
export const ABILITIES: readonly Ability[] = ["screenshot", "pdf"];

/**
 * A token with its secrets. Only `Tokens.create`, `Tokens.rotate` and `Accounts.ensure` return the
 * bearer token; `Tokens.reveal` also returns the signing secret later.
 */
export interface MintedToken {
  readonly record: TokenRecord;
  /** The bearer token, `<id>|<secret>`. */
  readonly token: string;
  readonly signingSecret: string;
}

/** Token administration. Every method throws `AdminError`, with a message for the operator, on invalid input. */
export interface Tokens {
  /** Creates a token, by default with all abilities and without expiry. */
  create(token: {
    readonly accountId: string;
    /** What it is for: 1 to 100 characters. */
    readonly name?: string;
    readonly abilities?: readonly Ability[];
    /** Integer milliseconds since the Unix epoch. */
    readonly expiresAt?: number | null;
  }): Promise<MintedToken>;
  list(accountId: string): Promise<readonly TokenRecord[]>;
  get(id: number): Promise<TokenRecord>;
  /**
   * Replaces both secrets; id, abilities and expiry stay the same. The current secrets keep working for `overlapMs`, at
   * most 30 days; 0, the default, ends them and those of an earlier overlap immediately.
   *
   * @throws AdminError if the secret key is not the one that encrypted the newest token's signing secret. If
   * `overlapMs` is not 0, also if an earlier overlap has not ended (a token has at most two pairs of secrets), or if
   * the secret key cannot decrypt the current signing secret.
   */
  rotate(id: number, options?: { readonly overlapMs?: number }): Promise<MintedToken>;
  /** Deletes the token and returns its record. */
  revoke(id: number): Promise<TokenRecord>;
  /** Deletes all of an account's tokens; returns their ids. */
  revokeAll(accountId: string): Promise<readonly number[]>;
  /**
   * Returns the token's record and signing secret.
   *
   * @throws AdminError if the secret key cannot decrypt the signing secret.
   */
  reveal(id: number): Promise<{ readonly record: TokenRecord; readonly signingSecret: string }>;
  /** Compares the secret key with the one that encrypted the newest token's signing secret. */
  checkSecretKey(): Promise<KeyMatch>;
  /**
   * Gives a new signing secret to every token whose current one the secret key cannot decrypt, and
   * returns these tokens. With `dryRun`, it only returns them. The tokens stay valid; their signed
   * URLs do not.
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
  const requireToken = async (id: number): Promise<Principal> => {
    const found = await store.find(id);
    if (found === null) throw tokenNotFound(id);
    return found;
  };
  return {
    checkSecretKey: () => checkSecretKey(store, seal),
    replaceLostSecrets: ({ dryRun = false } = {}) =>
      replaceLostSecrets({ store, accounts, seal, random }, { dryRun }),
    async create({ accountId, name, abilities: requested = ABILITIES, expiresAt = null }) {
      requireName(name);
      requireNotBeingDeleted(await requireAccount(accountId));
      if (requested.length === 0 || !requested.every((ability) => ABILITIES.includes(ability)))
        throw new AdminError(`a token needs one or more of these abilities: ${ABILITIES.join(", ")}`, {
          code: "invalid_value",
        });
      const abilities = ABILITIES.filter((ability) => requested.includes(ability));
      const now = clock.now();
      if (expiresAt !== null && !Number.isSafeInteger(expiresAt))
        throw new AdminError("the expiry must be in whole milliseconds", { code: "invalid_value" });
      if (expiresAt !== null && expiresAt <= now)
        throw new AdminError("the expiry must be in the future", { code: "invalid_value" });
      await requireMatchingKey(store, seal);
      const { secret, signingSecret, ...stored } = makeSecrets({ seal, random });
      const record = await store.insert({
        accountId,
        name: name ?? null,
        abilities,
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
    async get(id) {
      return (await requireToken(id)).token;
    },
    async rotate(id, { overlapMs = 0 } = {}) {
      if (!isIntegerWithin(overlapMs, { min: 0, max: OVERLAP_MAX_MS }))
        throw new AdminError("the rotation overlap must be from 0 to 30 days, in whole milliseconds", {
          code: "invalid_value",
        });
      await requireMatchingKey(store, seal);
      // nothing could be signed or verified with an undecryptable previous secret
      if (overlapMs > 0) openSigningSecret(seal, (await requireToken(id)).token);
      const { secret, signingSecret, ...stored } = makeSecrets({ seal, random });
      const now = clock.now();
      const overlapEndsAt = overlapMs === 0 ? null : now + overlapMs;
      const rotation = await store.rotate(id, { ...stored, rotatedAt: now, overlapEndsAt });
      if (rotation === null) throw tokenNotFound(id);
      if (!rotation.rotated) throw overlapRunning(id, rotation);
      const { token: record } = rotation;
      return { record, token: `${record.id}|${secret}`, signingSecret };
    },
    async revoke(id) {
      const { token } = await requireToken(id);
      if (!(await store.revoke(id))) throw tokenNotFound(id);
      return token;
    },
    async revokeAll(accountId) {
      await requireAccount(accountId);
      return store.revokeAll(accountId);
    },
    async reveal(id) {
      const { token: record } = await requireToken(id);
      return { record, signingSecret: openSigningSecret(seal, record) };
    },
  };
}

/** @param id - As the caller sent it. */
export function tokenNotFound(id: number | string): AdminError {
  return new AdminError(`token ${id} not found`, {
    code: "token_not_found",
    advice: "`snap-server tokens list --account ID` lists the tokens of an account",
  });
}

function overlapRunning(id: number, { overlapEndsAt }: { readonly overlapEndsAt: number }): AdminError {
  const instant = new Date(overlapEndsAt).toISOString();
  return new AdminError(`token ${id}'s previous secrets still work until ${instant}`, {
    advice: "wait until then, or rotate without --overlap, which ends all earlier secrets immediately",
  });
}

/** Creates a token's two secrets, in plaintext and as stored. */
function makeSecrets({ seal, random }: Pick<TokensOptions, "seal" | "random">): Pick<
  TokenRecord,
  "secretHash" | "sealedSigningSecret"
> & {
  readonly secret: string;
  readonly signingSecret: string;
} {
  const secret = makeSecret(random);
  const signingSecret = makeSecret(random);
  return {
    secret,
    signingSecret,
    secretHash: hashSecret(secret),
    sealedSigningSecret: seal.seal(signingSecret),
  };
}

const NAME_MAX_CHARACTERS = 100;

/** Whether a token can have this name. Control characters could manipulate a terminal that shows it. */
export function isTokenName(name: string): boolean {
  const length = Array.from(name).length;
  return length <= NAME_MAX_CHARACTERS && name.trim() !== "" && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
}

export function requireName(name: string | undefined): void {
  if (name !== undefined && !isTokenName(name))
    throw new AdminError(
      `a token name must have 1 to ${NAME_MAX_CHARACTERS} characters, none of them invisible`,
      { code: "invalid_value" },
    );
}
