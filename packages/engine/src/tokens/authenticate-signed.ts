import { verifyQuery } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { Principal, TokenStore } from "../ports/tokens.ts";
import { isUsable } from "./authenticate.ts";
import type { Seal } from "./seal.ts";
import { parseTokenId } from "./token-text.ts";

/** A signed query that proved itself. */
export interface SignedRequest {
  readonly principal: Principal;
  /** The query without `tokenId`, `expires` and `signature`: what `GET /snap` would be sent. */
  readonly parameters: URLSearchParams;
  /** Instant from which the URL no longer works, or `null`. */
  readonly expiresAt: number | null;
}

const PROOF = ["tokenId", "expires", "signature"] as const;

export interface SignedParts {
  readonly tokens: Pick<TokenStore, "find">;
  readonly seal: Seal;
  readonly now: number;
}

/**
 * Finds who a signed query stands for (interface.md, Authentication 5 and 6).
 *
 * @throws SnapError `invalid_signature` in the same words whatever was wrong, unless the signature is
 * genuine; then `signed_url_expired`, or `validation_failed` for an `expires` that is no timestamp.
 */
export async function authenticateSigned(
  { tokens, seal, now }: SignedParts,
  query: URLSearchParams,
): Promise<SignedRequest> {
  if (new Set(query.keys()).size !== query.size) throw refusal();
  const id = parseTokenId(query.get("tokenId") ?? "");
  const principal = id === null ? null : await tokens.find(id);
  // also where there is no token, so that the time taken tells little about which exist
  const sealed = principal?.token.sealedSigningSecret ?? decoyOf(seal);
  const signature = query.get("signature") ?? "";
  const isGenuine = verifyQuery(query, { signature, signingSecret: seal.open(sealed) });
  if (principal === null || !isGenuine || !isUsable(principal, now)) throw refusal();
  const expiresAt = requireUnexpired(query, now);
  const parameters = new URLSearchParams(query);
  for (const name of PROOF) parameters.delete(name);
  return { principal, parameters, expiresAt };
}

const decoys = new WeakMap<Seal, string>();

/** A sealed secret that signs for no token. */
function decoyOf(seal: Seal): string {
  const decoy = decoys.get(seal) ?? seal.seal("a secret of nobody, as long as a real one ");
  decoys.set(seal, decoy);
  return decoy;
}

function requireUnexpired(query: URLSearchParams, now: number): number | null {
  const expiresAt = readExpiry(query.get("expires"));
  if (expiresAt === null || expiresAt > now) return expiresAt;
  throw new SnapError("signed_url_expired", "The signed URL has expired; sign a new one.");
}

/** Unix seconds in strict digits. */
function readExpiry(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const message = "must be a Unix timestamp in seconds";
  throw new SnapError("validation_failed", `expires ${message}.`, { errors: { expires: [message] } });
}

function refusal(): SnapError {
  return new SnapError(
    "invalid_signature",
    "The URL is not signed, or the signature does not match; sign all parameters with the signing secret of a valid token.",
  );
}
