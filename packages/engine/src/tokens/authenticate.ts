import { SnapError } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Ability, FoundToken, TokenRecord, TokenStore } from "../ports/tokens.ts";
import { matchesHash, splitToken } from "./token-text.ts";

/** Who asks: a token, the account that owns it, and the balance that was read with them. */
export type Principal = FoundToken;

/**
 * Finds who a bearer token stands for.
 *
 * @throws SnapError `unauthenticated`, in the same words whatever was wrong with the token.
 */
export async function authenticate(store: TokenStore, text: string, now: number): Promise<Principal> {
  const parts = splitToken(text);
  const found = parts === null ? null : await store.find(parts.id);
  if (parts === null || found === null || !matchesHash(parts.secret, found.token.secretHash)) throw refusal();
  return requireUsable(found, now);
}

/**
 * What a look-up found, if it may still be used at `now`.
 *
 * @throws SnapError `unauthenticated` when there is no such token, or it has expired.
 */
export function requireUsable(found: Principal | null, now: number): Principal {
  if (found === null || (found.token.expiresAt !== null && found.token.expiresAt <= now)) throw refusal();
  return found;
}

function refusal(): SnapError {
  return new SnapError(
    "unauthenticated",
    "Send a valid access token as `Authorization: Bearer <token>`; this one is missing, unknown, expired or revoked.",
  );
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
