import { SnapError } from "../errors.ts";
import type { Principal, TokenStore } from "../ports/tokens.ts";
import { requireActive } from "./authorize.ts";
import { isSameHash, parseToken } from "./token-text.ts";

/**
 * Returns the principal of a bearer token.
 *
 * @throws SnapError `unauthenticated`, with the same message for every reason, or `account_suspended`.
 */
export async function authenticate(
  tokens: Pick<TokenStore, "find">,
  text: string,
  now: number,
): Promise<Principal> {
  const parsed = parseToken(text);
  const found = parsed === null ? null : await tokens.find(parsed.id);
  if (parsed === null || found === null || !isSameHash(parsed.secretHash, found.token.secretHash))
    throw unauthenticated();
  return requireUsable(found, now);
}

/** Returns whether the token has not expired. */
export function isUsable({ token: { expiresAt } }: Principal, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

/**
 * Returns the principal if its token exists and has not expired at `now`, and its account is not suspended.
 *
 * @throws SnapError `unauthenticated` or `account_suspended` otherwise.
 */
export function requireUsable(principal: Principal | null, now: number): Principal {
  if (principal === null || !isUsable(principal, now)) throw unauthenticated();
  requireActive(principal.account);
  return principal;
}

function unauthenticated(): SnapError {
  return new SnapError(
    "unauthenticated",
    "The access token is missing, unknown, expired or revoked; send a valid one as `Authorization: Bearer <token>`.",
  );
}
