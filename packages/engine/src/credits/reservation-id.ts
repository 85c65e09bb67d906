import type { Random } from "../ports/random.ts";

/** Milliseconds of some nine thousand years, in hexadecimal digits. */
const INSTANT_DIGITS = 12;
const RANDOM_BYTES = 10;

/**
 * A new id of 32 hexadecimal digits, the instant first (as in a UUID of version 7, RFC 9562, section 5.7).
 * A storage then adds each reservation behind the one before, on a page that it has at hand; ids in no
 * order would have it read and write another page of its index for each of them.
 */
export function newReservationId(random: Random, now: number): string {
  const instant = Math.trunc(now).toString(16).padStart(INSTANT_DIGITS, "0");
  return `${instant}${Buffer.from(random.bytes(RANDOM_BYTES)).toString("hex")}`;
}
