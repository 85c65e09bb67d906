import { LRUCache } from "lru-cache";
import type { FoundToken, TokenStore } from "../ports/tokens.ts";

/** Some 10 MB. */
const MAX_TOKENS = 10_000;

/** The tokens that a process has lately looked up, for `RememberedPrincipal`. */
export interface TokenMemory extends Pick<TokenStore, "find"> {
  /** As it was when it was last found; `null` where that isn't known. */
  recall(id: number): FoundToken | null;
}

/** Remembers what is found in a storage to which every look takes a round trip. */
export function createTokenMemory(store: Pick<TokenStore, "find">): TokenMemory {
  const found = new LRUCache<number, FoundToken>({ max: MAX_TOKENS });
  return {
    async find(id) {
      const token = await store.find(id);
      if (token === null) found.delete(id);
      else found.set(id, token);
      return token;
    },
    recall: (id) => found.get(id) ?? null,
  };
}

/** Of a storage that is at hand, which is always asked. */
export function forgetfulTokens(store: Pick<TokenStore, "find">): TokenMemory {
  return { find: (id) => store.find(id), recall: () => null };
}
