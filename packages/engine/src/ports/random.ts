import { randomBytes } from "node:crypto";

/** Source of unpredictable bytes for tokens, signing secrets and ids. */
export interface Random {
  bytes(size: number): Uint8Array;
}

/** The operating system's cryptographic random number generator. */
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };
