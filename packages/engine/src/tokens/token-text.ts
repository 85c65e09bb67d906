import { hash, timingSafeEqual } from "node:crypto";
import { randomHex } from "../ids.ts";
import type { Random } from "../ports/random.ts";

/** 256 bits take up to 43 characters in base62, more than the minimum of 32 that `parseToken` accepts. */
const SECRET_BYTES = 32;
const SECRET_CHARACTERS = 43;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns a random secret of 43 letters and digits. */
export function makeSecret(random: Random): string {
  let number = BigInt(`0x${randomHex(random, SECRET_BYTES)}`);
  let text = "";
  while (text.length < SECRET_CHARACTERS) {
    text = `${ALPHABET[Number(number % 62n)]}${text}`;
    number /= 62n;
  }
  return text;
}

/** Returns the SHA-256 in lowercase hex. A secret of 256 random bits needs no slow hash. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compares two hashes in constant time. */
export function isSameHash(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** Parses a token id; returns `null` for any other text. */
export function parseTokenId(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** The parts of a bearer token. */
export interface ParsedToken {
  /** `null` for a secret without an id, which only `Accounts.ensure` makes valid. */
  readonly id: number | null;
  readonly secretHash: string;
}

/**
 * Parses `<id>|<secret>` or `<secret>`; returns `null` for any other text. A secret has 32 to 128 characters, of those
 * in RFC 6750, 2.1.
 */
export function parseToken(text: string): ParsedToken | null {
  const [, idText, secret] = /^(?:(\d+)\|)?([\w.~+/=-]{32,128})$/.exec(text) ?? [];
  if (secret === undefined) return null;
  const id = idText === undefined ? null : parseTokenId(idText);
  return id === null && idText !== undefined ? null : { id, secretHash: hashSecret(secret) };
}
