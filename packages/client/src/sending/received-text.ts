/** Removes the token from a text. */
export type Redact = (text: string) => string;

/** The rest of a longer chain of causes is dropped. */
const CAUSES_MAX = 5;

/**
 * Makes received text safe for a terminal or a log: replaces white space and control, invisible and unassigned characters
 * with a space.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}

/** Returns headers without the token: a proxy can echo the request. */
export function redactHeaders(headers: Headers, redact: Redact): Headers {
  return new Headers(Array.from(headers, ([name, value]) => [name, redact(value)]));
}

/**
 * Copies an error of `fetch` without the token: it can quote the request, or hold it in any property. Keeps the name,
 * message, stack and causes, and simple properties such as `code`.
 */
export function redactError(error: unknown, redact: Redact, causesLeft = CAUSES_MAX): unknown {
  if (!(error instanceof Error)) return redact(String(error));
  const { message, stack, cause } = error;
  const next =
    cause === undefined || causesLeft === 0 ? {} : { cause: redactError(cause, redact, causesLeft - 1) };
  const copy = new Error(redact(message), next);
  const facts = Object.entries(error).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return [[redact(name), redact(value)]];
    return typeof value === "number" ? [[redact(name), value]] : [];
  });
  const name = redact(error.name);
  return Object.assign(copy, Object.fromEntries(facts), {
    name,
    ...(stack !== undefined && { stack: redact(stack) }),
  });
}
