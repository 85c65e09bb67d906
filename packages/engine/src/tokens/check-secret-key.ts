import { AdminError } from "../errors.ts";
import type { TokenRecord, TokenStore } from "../ports/tokens.ts";
import { systemRandom } from "../ports/random.ts";
import { createSeal, type Seal } from "./seal.ts";

/** Whether the secret key decrypts the newest token's signing secret; `unused` if there are no tokens. */
export type KeyMatch = "matches" | "differs" | "unused";

/** Returns whether the key of `seal` decrypts a token's signing secret. */
export function decrypts(
  seal: Seal,
  { sealedSigningSecret }: Pick<TokenRecord, "sealedSigningSecret">,
): boolean {
  try {
    seal.open(sealedSigningSecret);
    return true;
  } catch {
    return false;
  }
}

/** @throws AdminError if the key of `seal` cannot decrypt the token's signing secret. */
export function openSigningSecret(seal: Seal, token: TokenRecord): string {
  if (decrypts(seal, token)) return seal.open(token.sealedSigningSecret);
  throw new AdminError(`the secret key cannot decrypt the signing secret of token ${token.id}`, {
    advice: "rotate the token without an overlap; `snap-server secret-key replace` lists all such tokens",
  });
}

/** Returns whether `secretKey` decrypts an encrypted signing secret. */
export function isKeyOf(sealedSigningSecret: string, secretKey: string): boolean {
  return decrypts(createSeal(secretKey, systemRandom), { sealedSigningSecret });
}

/** Compares the key of `seal` with the one that encrypted the newest token's signing secret. */
export async function checkSecretKey(store: TokenStore, seal: Seal): Promise<KeyMatch> {
  const newest = await store.findNewest();
  if (newest === null) return "unused";
  return decrypts(seal, newest) ? "matches" : "differs";
}

/**
 * Prevents two keys in one storage, each of which would decrypt only some of the secrets.
 *
 * @throws AdminError if the stored secrets were encrypted with another key.
 */
export async function requireMatchingKey(store: TokenStore, seal: Seal): Promise<void> {
  if ((await checkSecretKey(store, seal)) === "differs")
    throw new AdminError("the secret key is not the one that encrypted the stored signing secrets");
}
