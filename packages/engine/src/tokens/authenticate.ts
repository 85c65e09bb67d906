import { SnapError } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Ability, FoundToken, TokenRecord } from "../ports/tokens.ts";
import { rememberPrincipal, type Asker, type Principal } from "./asker.ts";
import type { TokenMemory } from "./token-memory.ts";
import { isSameHash, readToken, type TokenProof } from "./token-text.ts";

/**
 * Finds who a bearer token stands for.
 *
 * @throws SnapError `unauthenticated`, in the same words whatever was wrong with the token.
 */
export async function authenticate(tokens: TokenMemory, text: string, now: number): Promise<Principal> {
  return authenticateProof(tokens, readToken(text), now);
}

async function authenticateProof(
  tokens: TokenMemory,
  proof: TokenProof | null,
  now: number,
): Promise<Principal> {
  const found = proof === null ? null : await tokens.find(proof.id);
  if (proof === null || found === null || !isProvenBy(found, proof)) throw refusal();
  tokens.remember(found);
  return requireUsable(found, now);
}

/**
 * The same for a capture, which looks again by itself: from memory, where the token is remembered. The time
 * taken tells nothing: the proof is worked out once, whatever is known of the token.
 *
 * @throws SnapError `unauthenticated`.
 */
export async function recognize(tokens: TokenMemory, text: string, now: number): Promise<Asker> {
  const proof = readToken(text);
  const remembered = proof === null ? null : tokens.recall(proof.id);
  const look = (): Promise<Principal> => authenticateProof(tokens, proof, now);
  if (proof === null || remembered === null || !isProvenBy(remembered, proof)) return look();
  return isUsable(remembered, now) ? rememberPrincipal(remembered, look) : look();
}

function isProvenBy({ token }: FoundToken, { secretHash }: TokenProof): boolean {
  return isSameHash(secretHash, token.secretHash);
}

/** Whether it hasn't expired. */
export function isUsable({ token: { expiresAt } }: FoundToken, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

/**
 * What a look-up found, if it may still be used at `now`.
 *
 * @throws SnapError `unauthenticated` when there is no such token, or it has expired.
 */
export function requireUsable(found: Principal | null, now: number): Principal {
  if (found === null || !isUsable(found, now)) throw refusal();
  return found;
}

function refusal(): SnapError {
  return new SnapError(
    "unauthenticated",
    "Send a valid access token as `Authorization: Bearer <token>`; this one is missing, unknown, expired or revoked.",
  );
}

/**
 * @throws SnapError `email_unverified` or `missing_ability`.
 */
export function requirePermitted({ account, token }: Principal, ability: Ability): void {
  requireVerifiedEmail(account);
  requireAbility(token, ability);
}

/**
 * @throws SnapError `missing_ability` when the token lacks the permission of the mode.
 */
export function requireAbility(token: TokenRecord, ability: Ability): void {
  if (token.abilities.includes(ability)) return;
  throw new SnapError(
    "missing_ability",
    `This token may not render a ${ability}; it is narrowed to ${token.abilities.join(", ")}.`,
  );
}

/**
 * @throws SnapError `email_unverified`.
 */
export function requireVerifiedEmail(account: Account): void {
  if (account.emailVerifiedAt !== null) return;
  throw new SnapError("email_unverified", "The e-mail address of the account is not verified yet.");
}
