import { SnapError } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ability, FoundToken, TokenRecord } from "../ports/tokens.ts";
import type { Asker, Principal } from "./asker.ts";
import type { TokenMemory } from "./token-memory.ts";
import { matchesHash, splitToken } from "./token-text.ts";

type TokenParts = NonNullable<ReturnType<typeof splitToken>>;

/**
 * Finds who a bearer token stands for.
 *
 * @throws SnapError `unauthenticated`, in the same words whatever was wrong with the token.
 */
export async function authenticate(tokens: TokenMemory, text: string, now: number): Promise<Principal> {
  const parts = splitToken(text);
  const found = parts === null ? null : await tokens.find(parts.id);
  if (parts === null || found === null || !isOf(found, parts)) throw refusal();
  return requireUsable(found, now);
}

/**
 * The same for a capture, which looks again by itself: from memory, where the token is remembered.
 *
 * @throws SnapError `unauthenticated`.
 */
export async function recognize(tokens: TokenMemory, text: string, clock: Clock): Promise<Asker> {
  const parts = splitToken(text);
  const remembered = parts === null ? null : tokens.recall(parts.id);
  const lookAgain = (): Promise<Principal> => authenticate(tokens, text, clock.now());
  if (parts === null || remembered === null || !isOf(remembered, parts)) return lookAgain();
  return isUsable(remembered, clock.now()) ? { remembered, lookAgain } : lookAgain();
}

function isOf({ token }: FoundToken, { secret }: TokenParts): boolean {
  return matchesHash(secret, token.secretHash);
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
