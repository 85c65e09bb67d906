import {
  buildSignedUrl,
  checkParameters,
  checkSignable,
  fitsSignedUrl,
  toQuery,
  type SignableInput,
  type ValidSignable,
} from "@snap/protocol";
import { misconfigured, SnapError } from "../errors.ts";
import { readBaseUrl, readInteger, type IntegerRange } from "../read-options.ts";
import { requireObject, throwIfInvalid } from "../sending/throw-if-invalid.ts";

const TOKEN_ID: IntegerRange = { min: 1, max: Number.MAX_SAFE_INTEGER };
/** The limit catches milliseconds: Unix seconds stay below it for a thousand years. */
const EXPIRES_SECONDS: IntegerRange = { min: 1, max: 40_000_000_000 };

export interface ExpiryOptions {
  /**
   * When the URL expires: a `Date`, or Unix seconds. By default, it works until its token expires or is revoked, or
   * until the token is rotated and the overlap, if any, ends.
   */
  readonly expires?: Date | number | undefined;
}

export interface SignUrlOptions extends ExpiryOptions {
  /** Base URL of the service, such as `https://snap.example.com/v1`. */
  readonly baseUrl: string | URL;
  /** The number before the pipe in the token. The token's account is charged. */
  readonly tokenId: number;
  /** The signing secret of that token. Keep it on the server: never send it to a browser. */
  readonly signingSecret: string;
}

/**
 * Returns a URL that renders a page without a token, for an `<img>`, a link or an email. `pdf: true` renders a PDF.
 * The same arguments return the same URL, so it can be cached. Anyone can read and use it, so `headers`, `cookies`,
 * `basicAuth`, `storeTo` and `storeKey` cannot be part of it.
 *
 * @throws SnapError for invalid parameters, the same as the service would return; `misconfigured` if an option is
 * missing, malformed or unknown.
 * @example
 * const src = signUrl(
 *   { url: "https://example.com", width: 1200, height: 630 },
 *   { baseUrl: "https://snap.example.com/v1", tokenId: 7, signingSecret, expires: new Date("2030-01-01") },
 * );
 */
export function signUrl<const P extends SignableInput = SignableInput>(
  parameters: ValidSignable<P>,
  { baseUrl, tokenId, signingSecret, expires, ...others }: SignUrlOptions,
): string {
  // with a misspelled `expires`, the URL would never expire
  for (const name of Object.keys(others)) throw misconfigured(`${name} is not an option.`);
  const signer = {
    baseUrl: readBaseUrl(baseUrl),
    tokenId: readInteger("tokenId", tokenId, TOKEN_ID),
    signingSecret,
    expires: expires === undefined ? undefined : toSeconds(expires),
  };
  if (typeof signingSecret !== "string" || signingSecret === "")
    throw misconfigured(
      "signingSecret is missing; pass it, or set SNAP_SIGNING_SECRET. `snap-server tokens reveal ID` shows it.",
    );
  requireObject(parameters);
  throwIfInvalid(checkParameters(parameters));
  // the types forbid these parameters, but JavaScript callers can pass them
  throwIfInvalid(checkSignable(parameters));
  if (!fitsSignedUrl(parameters))
    throw new SnapError(
      "validation_failed",
      "The parameters are too long for a signed URL; send the request with a token instead.",
      { status: 422 },
    );
  return buildSignedUrl(toQuery(parameters), signer);
}

function toSeconds(expires: Date | number): number {
  const seconds = expires instanceof Date ? Math.floor(expires.getTime() / 1000) : expires;
  return readInteger("expires, in Unix seconds,", seconds, EXPIRES_SECONDS);
}
