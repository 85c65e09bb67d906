/** Removes the token from text. */
export type Redact = (text: string) => string;

/** The rest of a longer chain of causes is dropped. */
const CAUSES_MAX = 5;

/**
 * Makes received text safe for a terminal or a log: replaces white space and control, invisible and unassigned characters
 * with a space.
 */
export function sanitizeText(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}

/** Returns headers without the token: a proxy can echo the request. */
export function redactHeaders(headers: Headers, redact: Redact): Headers {
  return new Headers(Array.from(headers, ([name, value]) => [name, redact(value)]));
}

/**
 * Returns a copy of an error from `fetch`, with its name, message, stack, code and causes, but without the token: the
 * original can quote the request.
 */
export function redactError(error: unknown, redact: Redact, causesLeft = CAUSES_MAX): unknown {
  if (!(error instanceof Error)) return redact(String(error));
  const { name, message, stack = "", code, cause } = error as Error & { readonly code?: string | number };
  return Object.assign(new Error(redact(message)), {
    name: redact(name),
    stack: redact(stack),
    ...(code !== undefined && { code: redact(String(code)) }),
    ...(cause !== undefined && causesLeft > 0 && { cause: redactError(cause, redact, causesLeft - 1) }),
  });
}
