import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import type { Random } from "../ports/random.ts";

/** Encrypts small secrets at rest: AES-256-GCM, laid out as nonce (12), tag (16), ciphertext, in lowercase hex. */
export interface Seal {
  seal(secret: string): string;
  /** @throws Error when the bytes were sealed under another key or have been altered. */
  open(sealed: string): string;
}

const SECRET_KEY_MIN_CHARACTERS = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derived once in a process: scrypt is slow on purpose, and engines over one storage share their key. */
const derivedKeys = new Map<string, Buffer>();

function deriveKey(secretKey: string): Buffer {
  const key = derivedKeys.get(secretKey) ?? scryptSync(secretKey, "snap-signing-secrets", 32);
  derivedKeys.set(secretKey, key);
  return key;
}

/**
 * A text that follows from a secret key and tells nothing of it: by it processes that share a storage see
 * whether they have the same one. It takes as long as the key proper.
 *
 * @example
 * const url = "postgres://snap@db/snap";
 * const storage = await openPostgresStorage({ url, cache: await openRedisCache({ url: "redis://cache" }) });
 * if (!(await storage.claimKeyMark(markOfKey(secretKey)))) throw new Error("another key is in use");
 */
export function markOfKey(secretKey: string): string {
  return scryptSync(secretKey, "snap-key-mark", 32).toString("hex");
}

/**
 * @param secretKey any text of at least 16 characters; the key proper is derived from it with scrypt,
 * at the first use, so that commands that need no secret don't pay for it.
 * @throws Error when it is missing or shorter.
 */
export function createSeal(secretKey: string, random: Random): Seal {
  if (typeof secretKey !== "string" || secretKey.length < SECRET_KEY_MIN_CHARACTERS)
    throw new Error(`secretKey must be at least ${SECRET_KEY_MIN_CHARACTERS} characters long`);
  const key = (): Buffer => deriveKey(secretKey);
  return {
    seal(secret) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key(), nonce, { authTagLength: TAG_BYTES });
      const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("hex");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "hex");
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key(), nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return (
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
      );
    },
  };
}
