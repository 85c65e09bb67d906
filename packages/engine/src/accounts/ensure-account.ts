import { accountNotFound, AdminError, requireNotBeingDeleted } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import type { Storage } from "../ports/storage.ts";
import type { EnsuredToken } from "../ports/tokens.ts";
import { openSigningSecret, requireMatchingKey } from "../tokens/check-secret-key.ts";
import type { Seal } from "../tokens/seal.ts";
import { makeSecret, parseToken } from "../tokens/token-text.ts";
import { ABILITIES, requireName, type MintedToken } from "../tokens/tokens.ts";
import type { Accounts } from "./accounts.ts";
import { UNLIMITED_PLAN } from "./plans.ts";

/** An account that a program creates for itself. */
export interface OwnAccount {
  readonly email: string;
  /** Slug of a plan for a new account; by default `unlimited`, which allows more than a machine can render. */
  readonly planSlug?: string | null;
  /** Name of its token; `default` by default. */
  readonly tokenName?: string;
  /**
   * Secret of its token: 32 to 128 letters, digits and `-._~+/=`. By default derived from the engine's
   * `secretKey`, the email address and `tokenName`. In this engine, a secret that is passed here also works as a
   * bearer token without the id.
   */
  readonly token?: string;
}

/** An account with its token. */
export interface EnsuredAccount extends MintedToken {
  readonly account: Account;
  /** What happened to the token. */
  readonly change: EnsuredToken["change"];
}

export interface EnsureDependencies {
  readonly storage: Pick<Storage, "accounts" | "tokens">;
  readonly accounts: Pick<Accounts, "create" | "verify">;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly random: Random;
  /** Ids of the tokens that callers can send without an id, by the hash of their secret. */
  readonly tokenIdsByHash: Map<string, number>;
}

/** Returns the account with this email address and its token; creates what is missing. */
export async function ensureAccount(
  dependencies: EnsureDependencies,
  own: OwnAccount,
): Promise<EnsuredAccount> {
  const { storage, seal, clock, random, tokenIdsByHash } = dependencies;
  const { email, tokenName: name = "default", token: sent } = own;
  requireName(name);
  const secret = sent ?? seal.derive(`token of ${email.toLowerCase()}, ${name}`);
  const parsed = parseToken(secret);
  if (parsed?.id !== null)
    throw new AdminError("a token's secret must have 32 to 128 characters: letters, digits or -._~+/=", {
      code: "invalid_value",
    });
  const account = await findOrCreate(dependencies, own);
  requireNotBeingDeleted(account);
  await requireMatchingKey(storage.tokens, seal);
  const { token: record, change } = await storage.tokens.ensure({
    accountId: account.id,
    name,
    abilities: ABILITIES,
    secretHash: parsed.secretHash,
    sealedSigningSecret: seal.seal(makeSecret(random)),
    createdAt: clock.now(),
    expiresAt: null,
    rotatedAt: null,
  });
  if (sent !== undefined) {
    for (const [hash, id] of tokenIdsByHash) if (id === record.id) tokenIdsByHash.delete(hash);
    tokenIdsByHash.set(parsed.secretHash, record.id);
  }
  const signingSecret = openSigningSecret(seal, record);
  return { account, record, token: `${record.id}|${secret}`, signingSecret, change };
}

/** Marks the account's email address as verified, because an unverified account cannot render. */
async function findOrCreate({ storage, accounts }: EnsureDependencies, own: OwnAccount): Promise<Account> {
  const { email, planSlug = UNLIMITED_PLAN.slug } = own;
  const existing =
    (await storage.accounts.findByEmail(email)) ??
    (await accounts.create({ email, planSlug, verified: true }).catch(async (error: unknown) => {
      // another process has created it in the meantime
      if (!(error instanceof AdminError) || error.code !== "email_taken") throw error;
      return storage.accounts.findByEmail(email);
    }));
  if (existing === null) throw accountNotFound(email);
  return existing.emailVerifiedAt === null ? accounts.verify(existing.id) : existing;
}
