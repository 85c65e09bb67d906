import { verifyQuery } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { FoundToken } from "../ports/tokens.ts";
import { isRemembered, rememberPrincipal, type Asker, type Principal } from "./asker.ts";
import { isUsable } from "./authenticate.ts";
import type { Seal } from "./seal.ts";
import type { TokenMemory } from "./token-memory.ts";
import { parseTokenId } from "./token-text.ts";

/** A signed query that proved itself. */
export interface SignedRequest {
  readonly principal: Asker;
  /** The query without `tokenId`, `expires` and `signature`: what `GET /snap` would be sent. */
  readonly parameters: URLSearchParams;
  /** Instant from which the URL no longer works, or `null`. */
  readonly expiresAt: number | null;
}

const PROOF = ["tokenId", "expires", "signature"] as const;

export interface SignedParts {
  readonly tokens: TokenMemory;
  readonly seal: Seal;
  readonly now: number;
}

/**
 * Finds who a signed query stands for (interface.md, Authentication 5 and 6): from memory, where the token
 * is remembered, as `capture` looks again by itself.
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
  const isSignedBy = signatureJudge(seal, query);
  const look = async (): Promise<Principal> => {
    const found = id === null ? null : await tokens.find(id);
    const isGenuine = isSignedBy(found);
    if (found === null || !isGenuine) throw refusal();
    tokens.remember(found);
    if (!isUsable(found, now)) throw refusal();
    return found;
  };
  const remembered = id === null ? null : tokens.recall(id);
  const isKnown = remembered !== null && isSignedBy(remembered) && isUsable(remembered, now);
  const principal = isKnown ? rememberPrincipal(remembered, look) : await look();
  const expiresAt = await refuseAs(principal, () => requireUnexpired(query, now));
  const parameters = new URLSearchParams(query);
  for (const name of PROOF) parameters.delete(name);
  return { principal, parameters, expiresAt };
}

/**
 * Tells whether a token signed the query. Verified once for one secret, and also where there is no token, so
 * that the time taken tells little about which exist.
 */
function signatureJudge(seal: Seal, query: URLSearchParams): (found: FoundToken | null) => boolean {
  const judged = new Map<string, boolean>();
  return (found) => {
    const sealed = found?.token.sealedSigningSecret ?? decoyOf(seal);
    const signature = query.get("signature") ?? "";
    const isGenuine =
      judged.get(sealed) ?? verifyQuery(query, { signature, signingSecret: seal.open(sealed) });
    judged.set(sealed, isGenuine);
    return isGenuine;
  };
}

const decoys = new WeakMap<Seal, string>();

/** A sealed secret that signs for no token. */
function decoyOf(seal: Seal): string {
  const decoy = decoys.get(seal) ?? seal.seal("a secret of nobody, as long as a real one ");
  decoys.set(seal, decoy);
  return decoy;
}

/** What is judged of a URL is told to nobody whose token has gone meanwhile. */
async function refuseAs<T>(asker: Asker, judge: () => T): Promise<T> {
  try {
    return judge();
  } catch (error) {
    if (isRemembered(asker)) await asker.current();
    throw error;
  }
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
    "The URL is not signed, or its signature does not match: every parameter is covered, and the token must exist.",
  );
}
