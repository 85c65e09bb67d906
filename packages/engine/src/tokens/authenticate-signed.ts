import { SIGNATURE_PARAMETERS, verifyQuery } from "@snap/protocol";
import { invalidParameter, SnapError } from "../errors.ts";
import type { Principal, TokenStore } from "../ports/tokens.ts";
import { isUnexpired } from "./authenticate.ts";
import { requireActive } from "./authorize.ts";
import { decrypts } from "./check-secret-key.ts";
import { previousSecretsAt } from "./previous-secrets.ts";
import { requireSignable } from "./require-signable.ts";
import type { Seal } from "./seal.ts";
import { parseTokenId } from "./token-text.ts";

/** A verified signed query. */
export interface SignedRequest {
  readonly principal: Principal;
  /** The query without `tokenId`, `expires` and `signature`. */
  readonly parameters: URLSearchParams;
  /** When the URL expires, or `null`. */
  readonly expiresAt: number | null;
}

/** More than the number of parameters. Limits the work for unauthenticated callers. */
export const SIGNED_PARAMETERS_MAX = 128;

export interface SignedAuthenticationDependencies {
  readonly tokens: Pick<TokenStore, "find">;
  readonly seal: Seal;
  readonly now: number;
}

/**
 * Verifies a signed query and returns its principal and parameters.
 *
 * @throws SnapError `invalid_signature`, with the same message for every reason except too many parameters.
 * With a valid signature: `account_suspended`, `signed_url_expired`, or `validation_failed` if `expires` is
 * not a timestamp or a parameter is secret or names a store.
 */
export async function authenticateSigned(
  { tokens, seal, now }: SignedAuthenticationDependencies,
  sentQuery: URLSearchParams | string,
): Promise<SignedRequest> {
  // counted before parsing, because parsing and sorting 30,000 empty parameters takes 50 ms
  if (typeof sentQuery === "string" && hasTooManyPairs(sentQuery)) throw tooManyParameters();
  const query = new URLSearchParams(sentQuery);
  if (query.size > SIGNED_PARAMETERS_MAX) throw tooManyParameters();
  if (new Set(query.keys()).size !== query.size) throw invalidSignature();
  const id = parseTokenId(query.get("tokenId") ?? "");
  const found = id === null ? null : await tokens.find(id);
  const signature = query.get("signature") ?? "";
  // a signing secret that the key cannot decrypt verifies nothing
  const isSignedWith = (sealedSigningSecret: string): boolean =>
    decrypts(seal, { sealedSigningSecret }) &&
    verifyQuery(query, { signature, signingSecret: seal.open(sealedSigningSecret) });
  // also verifies without a token, so the duration reveals little about which tokens exist
  const isValid = isSignedWith(found?.token.sealedSigningSecret ?? decoyOf(seal));
  const previous = isValid || found === null ? null : previousSecretsAt(found.token, now);
  const usesPrevious = previous !== null && isSignedWith(previous.sealedSigningSecret);
  if (found === null || !(isValid || usesPrevious) || !isUnexpired(found, now)) throw invalidSignature(id);
  const principal: Principal = usesPrevious ? { ...found, usesPrevious } : found;
  requireActive(principal.account);
  const expiresAt = requireUnexpired(query, now);
  requireSignable(Object.fromEntries(query));
  for (const name of SIGNATURE_PARAMETERS) query.delete(name);
  return { principal, parameters: query, expiresAt };
}

function hasTooManyPairs(text: string): boolean {
  return text.split("&", SIGNED_PARAMETERS_MAX + 1).length > SIGNED_PARAMETERS_MAX;
}

const decoys = new WeakMap<Seal, string>();

/** Returns a sealed secret that belongs to no token. */
function decoyOf(seal: Seal): string {
  const decoy = decoys.get(seal) ?? seal.seal("a decoy secret, of the length of a real one");
  decoys.set(seal, decoy);
  return decoy;
}

function requireUnexpired(query: URLSearchParams, now: number): number | null {
  const expiresAt = readExpiry(query.get("expires"));
  if (expiresAt === null || expiresAt > now) return expiresAt;
  throw new SnapError("signed_url_expired", "The signed URL has expired; sign a new one.");
}

/** Parses Unix seconds; accepts only digits. */
function readExpiry(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  throw invalidParameter("expires", "must be a Unix timestamp in seconds");
}

/** Reveals nothing, because the query is rejected before its token is looked up. */
function tooManyParameters(): SnapError {
  return new SnapError(
    "invalid_signature",
    `Too many parameters in a signed URL (limit ${SIGNED_PARAMETERS_MAX}).`,
  );
}

/** @param id The token that the URL names, for the log. */
function invalidSignature(id: number | null = null): SnapError {
  const detail =
    id === null
      ? undefined
      : `not signed with the current secret of token ${id}, or the token has expired or does not exist`;
  return new SnapError(
    "invalid_signature",
    "The URL is not signed, or the signature does not match; sign all parameters with the signing secret of a valid token.",
    { detail },
  );
}
