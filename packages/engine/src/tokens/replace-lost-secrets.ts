import type { AccountStore } from "../ports/accounts.ts";
import type { Random } from "../ports/random.ts";
import type { TokenRecord, TokenStore } from "../ports/tokens.ts";
import { decrypts } from "./check-secret-key.ts";
import type { Seal } from "./seal.ts";
import { makeSecret } from "./token-text.ts";

export interface ReplaceDependencies {
  readonly store: TokenStore;
  readonly accounts: AccountStore;
  readonly seal: Seal;
  readonly random: Random;
}

/**
 * Gives new signing secrets to the tokens whose secrets the key of `seal` cannot decrypt; returns those tokens.
 *
 * Starts with the newest token: its secret is used to check the key, so the previous key is rejected from then on, even
 * if this process is killed.
 */
export async function replaceLostSecrets(
  { store, accounts, seal, random }: ReplaceDependencies,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly TokenRecord[]> {
  const lost: TokenRecord[] = [];
  for (const { id } of await accounts.list())
    lost.push(...(await store.listByAccount(id)).filter((token) => !decrypts(seal, token)));
  if (dryRun) return lost;
  const replaced: TokenRecord[] = [];
  for (const { id, sealedSigningSecret: current } of lost.toSorted((left, right) => right.id - left.id)) {
    const next = seal.seal(makeSecret(random));
    const token = await store.replaceSigningSecret(id, { current, next });
    // a token that has been rotated or revoked since needs no new secret
    if (token !== null) replaced.push(token);
  }
  return replaced.toReversed();
}
