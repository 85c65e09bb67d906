import { PARAMETER_TABLE } from "./table.ts";
import type { SecretName } from "./values.ts";

/** Parameters whose values must not be stored in plain text, logged, signed or shown. */
export const SECRET_NAMES: ReadonlySet<string> = new Set(
  PARAMETER_TABLE.filter(({ isSecret }) => isSecret).map(({ name }) => name),
);

/** The error for a secret in a signed URL, which anyone can read. */
export const SIGNED_SECRET_MESSAGE =
  "cannot be part of a signed URL, because anyone can read it; send the request with a token instead";

/**
 * Returns the names of the secret parameters that were sent.
 *
 * @example
 * secretsIn({ url: "https://example.com", basicAuth: "user:password" }); // ["basicAuth"]
 */
export function secretsIn(values: object): readonly SecretName[] {
  const entries: [string, unknown][] = Object.entries(values);
  const sent = entries.filter(([name, value]) => SECRET_NAMES.has(name) && value !== undefined);
  return sent.map(([name]) => name as SecretName);
}
