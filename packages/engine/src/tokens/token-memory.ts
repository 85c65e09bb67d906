import { LRUCache } from "lru-cache";
import type { FoundToken, TokenStore } from "../ports/tokens.ts";

/** Some 10 MB. */
const MAX_TOKENS = 10_000;

/** The tokens that have lately proved genuine, for `RememberedPrincipal`. */
export interface TokenMemory extends Pick<TokenStore, "find"> {
  /** As it was when it was last found; `null` where that isn't known. */
  recall(id: number): FoundToken | null;
  /** What was found, once whoever sent it has proved to hold it: strangers fill no memory. */
  remember(found: FoundToken): void;
}

/** Remembers what is found in a storage to which every look takes a round trip. */
export function createTokenMemory(store: Pick<TokenStore, "find">): TokenMemory {
  const known = new LRUCache<number, FoundToken>({ max: MAX_TOKENS });
  return {
    async find(id) {
      const found = await store.find(id);
      if (found === null) known.delete(id);
      else if (known.has(id)) known.set(id, found);
      return found;
    },
    recall: (id) => known.get(id) ?? null,
    remember: (found) => void known.set(found.token.id, found),
  };
}

/** Of a storage that is at hand, which is always asked. */
export function forgetfulTokens(store: Pick<TokenStore, "find">): TokenMemory {
  return { find: (id) => store.find(id), recall: () => null, remember: () => {} };
}
