import { LIMITS } from "../limits.ts";
import { canonicalQuery } from "../signing/canonical-query.ts";
import { ProblemList, type ValidationFailure } from "./problem-list.ts";
import { PARAMETER_TABLE } from "./table.ts";
import { toQuery } from "./to-query.ts";
import type { DeliveryName, SecretName } from "./values.ts";

/** Parameters whose values must not be stored in plain text, logged, signed or shown. */
export const SECRET_NAMES: ReadonlySet<string> = new Set(
  PARAMETER_TABLE.filter(({ isSecret }) => isSecret).map(({ name }) => name),
);

/** Parameters that only determine where else the rendering is stored: they change neither it nor its cache key. */
export const DELIVERY_NAMES: ReadonlySet<string> = new Set(
  PARAMETER_TABLE.filter(({ isDelivery }) => isDelivery).map(({ name }) => name),
);

/** Why a parameter cannot be part of a signed URL. */
const UNSIGNABLE_MESSAGES = {
  secret: "cannot be part of a signed URL, because anyone can read it; send the request with a token instead",
  delivery:
    "cannot be part of a signed URL, because anyone with it could write to the store; send the request with a token instead",
} as const;

/**
 * Returns the names of the secret parameters that were sent.
 *
 * @example
 * secretsIn({ url: "https://example.com", basicAuth: "user:password" }); // ["basicAuth"]
 */
export function secretsIn(values: object): readonly SecretName[] {
  return sentNames(values).filter((name): name is SecretName => SECRET_NAMES.has(name));
}

/**
 * Returns the error for parameters that a signed URL cannot contain; `null` if there are none.
 *
 * @example
 * checkSignable({ url: "https://example.com", storeTo: "archive" })?.errors;
 * // { storeTo: ["cannot be part of a signed URL, because ..."] }
 */
export function checkSignable(values: object): ValidationFailure | null {
  const problems = new ProblemList();
  for (const name of sentNames(values).filter(isUnsignable))
    problems.add(name, SECRET_NAMES.has(name) ? UNSIGNABLE_MESSAGES.secret : UNSIGNABLE_MESSAGES.delivery);
  return problems.toFailure();
}

/** Returns whether servers accept the length of a signed URL with these parameters. */
export function fitsSignedUrl(values: object): boolean {
  // the form of the query in the URL: "%20" for a space, not "+"
  return canonicalQuery(toQuery(values)).length <= LIMITS.queryCharacters;
}

/** Returns whether a signed URL cannot contain the parameter. */
export function isUnsignable(name: string): boolean {
  return SECRET_NAMES.has(name) || DELIVERY_NAMES.has(name);
}

/** Returns the parameters that determine the rendering, without those that only determine its delivery. */
export function withoutDelivery<Values extends object>(values: Values): Omit<Values, DeliveryName> {
  const entries = Object.entries(values).filter(([name]) => !DELIVERY_NAMES.has(name));
  return Object.fromEntries(entries) as Omit<Values, DeliveryName>;
}

function sentNames(values: object): readonly string[] {
  const entries: [string, unknown][] = Object.entries(values);
  return entries.filter(([, value]) => value !== undefined).map(([name]) => name);
}
