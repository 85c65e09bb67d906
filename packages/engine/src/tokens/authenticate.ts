import { SnapError } from "../errors.ts";
import type { Principal, TokenStore } from "../ports/tokens.ts";
import { requireActive } from "./authorize.ts";
import { previousSecretsAt } from "./previous-secrets.ts";
import { isSameHash, parseToken } from "./token-text.ts";

export interface AuthenticationDependencies {
  readonly tokens: Pick<TokenStore, "find">;
  /** Ids of the tokens that callers can send without an id, by the hash of their secret. */
  readonly tokenIdsByHash: ReadonlyMap<string, number>;
  readonly now: number;
}

/**
 * Returns the principal of a bearer token.
 *
 * @throws SnapError `unauthenticated`, with the same message for every reason, or `account_suspended`.
 */
export async function authenticate(
  { tokens, tokenIdsByHash, now }: AuthenticationDependencies,
  text: string,
): Promise<Principal> {
  const parsed = parseToken(text);
  if (parsed === null) throw unauthenticated();
  const { secretHash } = parsed;
  const id = parsed.id ?? tokenIdsByHash.get(secretHash) ?? null;
  if (id === null) throw unauthenticated();
  const principal = await tokens.find(id);
  if (principal === null) throw unauthenticated(`token ${id} does not exist, or was revoked`);
  if (isSameHash(secretHash, principal.token.secretHash)) return requireUsable(principal, now);
  const previous = previousSecretsAt(principal.token, now);
  if (previous === null || !isSameHash(secretHash, previous.secretHash))
    throw unauthenticated(`token ${id}'s secret is wrong, or from before a rotation`);
  return requireUsable({ ...principal, usesPrevious: true }, now);
}

/** Returns whether the token has not expired. */
export function isUnexpired({ token: { expiresAt } }: Principal, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

/**
 * Returns the principal if its token exists and has not expired at `now`, and its account is not suspended.
 *
 * @throws SnapError `unauthenticated` or `account_suspended` otherwise.
 */
export function requireUsable(principal: Principal | null, now: number): Principal {
  if (principal === null) throw unauthenticated();
  if (!isUnexpired(principal, now)) throw unauthenticated(`token ${principal.token.id} has expired`);
  requireActive(principal.account);
  return principal;
}

/**
 * @param detail The reason, for the log. It contains the token's id, so operators can notice the use of a revoked token.
 */
function unauthenticated(detail?: string): SnapError {
  return new SnapError(
    "unauthenticated",
    "The bearer token is missing, unknown, expired or revoked; send a valid one as `Authorization: Bearer <token>`.",
    { detail },
  );
}
