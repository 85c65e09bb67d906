import { hash, timingSafeEqual } from "node:crypto";
import type { Random } from "../ports/random.ts";

/** 256 bits, which base62 writes in 43 characters at the most; longer than the 40 that are promised. */
const SECRET_BYTES = 32;
const SECRET_CHARACTERS = 43;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A random secret of 43 letters and digits. */
export function makeSecret(random: Random): string {
  let number = BigInt(`0x${Buffer.from(random.bytes(SECRET_BYTES)).toString("hex")}`);
  let text = "";
  while (text.length < SECRET_CHARACTERS) {
    text = `${ALPHABET[Number(number % 62n)]}${text}`;
    number /= 62n;
  }
  return text;
}

/** SHA-256 in lowercase hex: a secret of 256 random bits needs no slow hash. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** In constant time. */
export function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** The id of a token as text; `null` for any other text. */
export function parseTokenId(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** What a token proves itself with. */
export interface TokenProof {
  readonly id: number;
  readonly secretHash: string;
}

/** Reads `<id>|<secret>`; `null` for any other text. */
export function readToken(text: string): TokenProof | null {
  const match = /^(\d+)\|([0-9A-Za-z]{40,128})$/.exec(text);
  const id = parseTokenId(match?.[1] ?? "");
  return id === null || match?.[2] === undefined ? null : { id, secretHash: hashSecret(match[2]) };
}
