import { SnapError } from "../errors.ts";
import type { Principal, TokenStore } from "../ports/tokens.ts";
import { isSameHash, readToken } from "./token-text.ts";

/**
 * Finds who a bearer token stands for.
 *
 * @throws SnapError `unauthenticated`, in the same words whatever was wrong with the token.
 */
export async function authenticate(
  tokens: Pick<TokenStore, "find">,
  text: string,
  now: number,
): Promise<Principal> {
  const proof = readToken(text);
  const found = proof === null ? null : await tokens.find(proof.id);
  if (proof === null || found === null || !isSameHash(proof.secretHash, found.token.secretHash))
    throw refusal();
  return requireUsable(found, now);
}

/** Whether it hasn't expired. */
export function isUsable({ token: { expiresAt } }: Principal, now: number): boolean {
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
    "The access token is missing, unknown, expired or revoked; send a valid one as `Authorization: Bearer <token>`.",
  );
}
