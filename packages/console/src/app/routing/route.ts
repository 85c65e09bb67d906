/*
 * Routes are in the hash, such as `#/requests/req_1` or `#/requests?code=render_failed`, so the console works under any
 * path, and the server never sees them.
 */

export interface Route {
  /** Decoded segments: `["requests", "req_1"]`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Parses a hash. Text that cannot be decoded is returned as it is. */
export function parseRoute(hash: string): Route {
  const [path = "", ...query] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: new URLSearchParams(query.join("?")),
  };
}

/**
 * Formats a hash, without empty values.
 *
 * @example
 * toHash(["requests"], { code: "render_failed", host: "" }); // "#/requests?code=render_failed"
 */
export function toHash(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> | URLSearchParams = {},
): string {
  const pairs = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const sent = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "");
  const search = new URLSearchParams(sent).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

const SIGN_IN = /^#sign-in=([^&]+)$/;

/** Returns the code from a sign-in link; `null` for any other hash. */
export function readSignInCode(hash: string): string | null {
  const [, code] = SIGN_IN.exec(hash) ?? [];
  return code === undefined ? null : decode(code);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
