import { misconfigured, SnapError } from "./errors.ts";

/** The environment variables that options of `createClient` default to. */
const VARIABLES = {
  baseUrl: "SNAP_BASE_URL",
  token: "SNAP_TOKEN",
  signingSecret: "SNAP_SIGNING_SECRET",
} as const;

interface WithProcess {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** Returns the value of an option's environment variable; `undefined` if it is not set or cannot be read. */
export function readVariable(name: keyof typeof VARIABLES): string | undefined {
  try {
    return (globalThis as WithProcess).process?.env?.[VARIABLES[name]];
  } catch {
    // Deno without --allow-env
    return undefined;
  }
}

/** @throws SnapError `misconfigured` for an option that is missing or empty. */
function requireOption<T>(name: "baseUrl" | "token", value: T): NonNullable<T> {
  if (value) return value;
  throw misconfigured(
    `${name} is ${value === "" ? "empty" : "missing"}; pass it, or set ${VARIABLES[name]}.`,
  );
}

/**
 * Returns the base URL without a trailing slash. A URL without a path gets `/v1`.
 *
 * @throws SnapError `misconfigured` if it is not the URL of a service. The message does not quote the value, which may
 * be a misplaced token or contain a password.
 */
export function readBaseUrl(baseUrl: string | URL | undefined): string {
  const value = requireOption("baseUrl", baseUrl);
  const url = readUrl(String(value));
  // a query or a fragment would be dropped silently
  if (url === null || url.search + url.hash !== "")
    throw misconfigured(
      "baseUrl must look like https://snap.example.com/v1, without a user name, password, query or fragment.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path || "/v1");
}

/** Parses an HTTP or HTTPS URL; returns `null` for other text, and for a URL with a user name or password. */
export function readUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "" ? url : null;
}

/** A token and its parts. */
export interface TokenParts {
  readonly token: string;
  /** `null` for a secret alone, such as one that the operator chose as the service's `SNAP_TOKEN`. */
  readonly tokenId: number | null;
  readonly secret: string;
}

/**
 * Splits a token into its parts.
 *
 * @throws SnapError `misconfigured` if it is missing or malformed. The message does not quote it.
 */
export function readToken(value: string | undefined): TokenParts {
  const token = requireOption("token", value);
  const [, id, secret] = /^([1-9]\d{0,14})\|([\x21-\x7e]+)$/.exec(token) ?? [];
  if (id !== undefined && secret !== undefined) return { token, tokenId: Number(id), secret };
  if (/^[\w.~+/=-]{32,128}$/.test(token)) return { token, tokenId: null, secret: token };
  throw misconfigured("token must be <id>|<secret>, or a secret of 32 to 128 characters.");
}

/** @throws SnapError `misconfigured` for a name or value that HTTP does not allow. The message quotes neither. */
export function readHeaders(option: string, headers: Readonly<Record<string, string>> | undefined): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw misconfigured(`${option} contains an invalid HTTP header name or value.`);
  }
}

/** The range of an option, both ends inclusive. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** How long a timer can wait, in milliseconds; with a larger value, `setTimeout` fires immediately. */
export const DURATION_RANGE_MS: IntegerRange = { min: 1, max: 2 ** 31 - 1 };
export const RETRIES_RANGE: IntegerRange = { min: 0, max: 100 };

/** @throws SnapError `misconfigured` unless it is an integer in the range. */
export function readInteger(name: string, value: number, { min, max }: IntegerRange): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw misconfigured(`${name} must be an integer from ${min} to ${max}.`);
}

/** @throws SnapError for an id that is not text (`misconfigured`), or that no path can contain (`not_found`). */
export function readId(id: unknown): string {
  if (typeof id !== "string") throw misconfigured("id must be a string that the service returned.");
  // "." and ".." would be resolved as path segments
  if (!/^\.{0,2}$/.test(id) && id.isWellFormed()) return id;
  throw new SnapError("not_found", "Invalid id; use one that the service returned.", { status: 404 });
}
