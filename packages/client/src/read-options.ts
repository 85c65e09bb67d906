/**
 * The base address without a trailing slash. One without a path is a service at its root, whose API is
 * under `/v1`.
 *
 * What was given is not in the message: it may be a token in the wrong place, or carry a password.
 *
 * @throws TypeError when it isn't the address of a service.
 */
export function readBaseUrl(given: string | URL): string {
  const url = URL.canParse(String(given)) ? new URL(given) : null;
  // Credentials, a query and a fragment would be lost without a word.
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ""
  )
    throw new TypeError(
      "baseUrl must look like https://snap.example.com/v1, without user name, password, query and fragment.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path || "/v1");
}

/** The parts of a token (interface.md, Token). */
export interface TokenParts {
  readonly tokenId: number;
  readonly secret: string;
}

/**
 * The token in its parts; it is not in the message.
 *
 * @throws TypeError when it doesn't look like one.
 */
export function readToken(token: string): TokenParts {
  const [, id, secret] = /^([1-9]\d{0,14})\|([\x21-\x7e]+)$/.exec(token) ?? [];
  if (id === undefined || secret === undefined)
    throw new TypeError("token must look like <id>|<secret>, in full, without spaces or line ends.");
  return { tokenId: Number(id), secret };
}

/** What an option may be, both ends included. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** Milliseconds that timers can count. */
export const DURATION_MS: IntegerRange = { min: 1, max: 2 ** 31 - 1 };
export const RETRIES: IntegerRange = { min: 0, max: 100 };

/** @throws RangeError in the words of the service's own messages. */
export function readInteger(name: string, given: number, { min, max }: IntegerRange): number {
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
}
