import type { Random } from "./ports/random.ts";

/** Hexadecimal digits of the milliseconds since 1970; enough for nine thousand years. */
const INSTANT_DIGITS = 12;

/**
 * Returns a new id in hexadecimal that starts with the instant, as UUID version 7 does (RFC 9562, 5.7). Ids in time
 * order are appended to the same page of a storage's index; each random id would touch a different page.
 */
export function orderedId(
  random: Random,
  { at, randomBytes = 6 }: { readonly at: number; readonly randomBytes?: number },
): string {
  return `${idPrefixAt(at)}${randomHex(random, randomBytes)}`;
}

export function randomHex(random: Random, bytes: number): string {
  return Buffer.from(random.bytes(bytes)).toString("hex");
}

/** Returns the prefix of every ordered id of this instant, which sorts after all earlier ids. */
export function idPrefixAt(instant: number): string {
  return Math.max(0, Math.trunc(instant)).toString(16).padStart(INSTANT_DIGITS, "0");
}
