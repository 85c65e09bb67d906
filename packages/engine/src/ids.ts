import type { Random } from "./ports/random.ts";

/** Hexadecimal digits of a Unix time in milliseconds; enough until the year 10889. */
const INSTANT_DIGITS = 12;

/**
 * Returns a new hexadecimal id that begins with the instant, like a UUID version 7 (RFC 9562, 5.7). So a storage
 * appends new ids to the end of an index; random ids would change pages all over it.
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

/** Returns the prefix of all ordered ids of this instant. It sorts after every earlier ordered id. */
export function idPrefixAt(instant: number): string {
  return Math.max(0, Math.trunc(instant)).toString(16).padStart(INSTANT_DIGITS, "0");
}
