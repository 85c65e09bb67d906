/*
 * Tokens are in `sessionStorage`: they survive a reload. Only this tab and its duplicates see them.
 */

const KEYS = {
  /** The token that a token holder signed in with. */
  session: "snap-console.token",
  /** The token that the operator uses in the playground. */
  playground: "snap-console.playground-token",
} as const;

export type TokenUse = keyof typeof KEYS;

export function readToken(use: TokenUse): string | null {
  try {
    return sessionStorage.getItem(KEYS[use]);
  } catch {
    // the browser may block storage
    return null;
  }
}

export function storeToken(use: TokenUse, token: string): void {
  try {
    if (token === "") sessionStorage.removeItem(KEYS[use]);
    else sessionStorage.setItem(KEYS[use], token);
  } catch {
    // without storage, the user must enter the token again after a reload
  }
}

/** Returns why the text cannot be a token; `undefined` if it can. A token in a header is visible ASCII. */
export function tokenProblem(token: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(token.trim())) return undefined;
  return "must be a token such as 7|…, in ASCII and without spaces";
}

/** Returns the public part of a token such as `7|…`; `null` for one that is only a secret. */
export function tokenIdOf(token: string): string | null {
  return /^\d+(?=\|)/.exec(token)?.[0] ?? null;
}

export function forgetTokens(): void {
  storeToken("session", "");
  storeToken("playground", "");
}
