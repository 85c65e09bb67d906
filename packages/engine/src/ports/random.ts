import { randomBytes } from "node:crypto";

/** Where the engine gets unpredictable bytes from (tokens, signing secrets, ids). */
export interface Random {
  bytes(size: number): Uint8Array;
}

/** The operating system's cryptographic generator. */
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };
