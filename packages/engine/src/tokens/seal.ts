import { createCipheriv, createDecipheriv, createHmac, hkdfSync, scryptSync } from "node:crypto";
import type { Random } from "../ports/random.ts";

/** Encrypts and digests small secrets with keys derived from the service's secret key. */
export interface Seal {
  /** Encrypts with AES-256-GCM: nonce (12 bytes), tag (16 bytes), ciphertext, in lowercase hex. */
  seal(secret: string): string;
  /** @throws Error if the secret was sealed with another key, or was altered. */
  open(sealed: string): string;
  /** Returns an HMAC-SHA256 in lowercase hex, so equal secrets are recognized and none can be guessed. */
  digest(secret: string): string;
  /** Returns a secret of 64 hex digits, which is always the same for a purpose. */
  derive(purpose: string): string;
}

export const SECRET_KEY_MIN_CHARACTERS = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One derivation per key and process, because scrypt is intentionally slow. */
const derivedKeys = new Map<string, Buffer>();

function deriveKey(secretKey: string): Buffer {
  const key = derivedKeys.get(secretKey) ?? scryptSync(secretKey, "snap-signing-secrets", 32);
  derivedKeys.set(secretKey, key);
  return key;
}

/**
 * Returns a fingerprint of a secret key that does not reveal the key. Processes that share a storage compare it to make
 * sure that they use the same key. It takes as long as deriving the key.
 *
 * @example
 * const url = "postgres://snap@db/snap";
 * const storage = await openPostgresStorage({ url, cache: await openRedisCache({ url: "redis://cache" }) });
 * if (!(await storage.pinKeyFingerprint(keyFingerprint(secretKey)))) throw new Error("another key is in use");
 */
export function keyFingerprint(secretKey: string): string {
  return scryptSync(secretKey, "snap-key-mark", 32).toString("hex");
}

/**
 * @param secretKey any text of at least 16 characters. The encryption key is derived from it with scrypt on first use,
 * so commands that need no secret do not wait for it.
 * @throws Error if it is missing or too short.
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
    derive: (purpose) =>
      Buffer.from(hkdfSync("sha256", key(), "", `snap-derived-secrets\n${purpose}`, 32)).toString("hex"),
    digest(secret) {
      // a key for each purpose (RFC 5869, 3.2)
      const hmacKey = Buffer.from(hkdfSync("sha256", key(), "", "snap-secret-digests", 32));
      return createHmac("sha256", hmacKey).update(secret).digest("hex");
    },
  };
}
