/**
 * Returns the base URL without a trailing slash. A URL without a path gets `/v1`.
 *
 * @throws TypeError if it is not the URL of a service. The message does not quote the value, which may be a misplaced
 * token or contain a password.
 */
export function readBaseUrl(value: string | URL): string {
  const url = URL.canParse(String(value)) ? new URL(value) : null;
  // credentials, a query or a fragment would be dropped silently
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ""
  )
    throw new TypeError(
      "baseUrl must look like https://snap.example.com/v1, without user name, password, query or fragment.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path || "/v1");
}

/** The parts of a token. */
export interface TokenParts {
  readonly tokenId: number;
  readonly secret: string;
}

/**
 * Splits a token into its parts.
 *
 * @throws TypeError if it is malformed, without quoting it.
 */
export function readToken(token: string): TokenParts {
  const [, id, secret] = /^([1-9]\d{0,14})\|([\x21-\x7e]+)$/.exec(token) ?? [];
  if (id === undefined || secret === undefined)
    throw new TypeError("token must look like <id>|<secret>, without spaces or line breaks.");
  return { tokenId: Number(id), secret };
}

/** The range of an option, both ends inclusive. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** The range of timers, in milliseconds. */
export const DURATION_MS: IntegerRange = { min: 1, max: 2 ** 31 - 1 };
export const RETRIES: IntegerRange = { min: 0, max: 100 };

/** @throws RangeError with the same wording as the service. */
export function readInteger(name: string, value: number, { min, max }: IntegerRange): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
}
