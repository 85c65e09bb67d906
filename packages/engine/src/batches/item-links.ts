import { buildSignedUrl, modeOf, toQuery, withoutDelivery } from "@snap/protocol";
import { LRUCache } from "lru-cache";
import { isLinkable } from "../cache/links.ts";
import type { BatchRecord, ItemRecord } from "../ports/batches.ts";
import type { Clock } from "../ports/clock.ts";
import type { RenderingStore } from "../ports/renderings.ts";
import type { TokenRecord } from "../ports/tokens.ts";
import { decrypts } from "../tokens/check-secret-key.ts";
import type { Seal } from "../tokens/seal.ts";

/** Size of the signed-URL cache. The longest query has 60,000 characters, before the signature is added. */
const CACHE_CHARACTERS = 8_000_000;
const ITEMS_MAX = 10_000;

/**
 * Links a batch's renderings that are still cached and that `token` may fetch: returns a function from an item to its
 * signed URL, or to `null` if the URL would not work.
 */
export type LinkItems = (request: {
  readonly batch: BatchRecord;
  readonly token: TokenRecord;
}) => Promise<(item: ItemRecord) => string | null>;

interface ItemLinksOptions {
  /** `null` links nothing. */
  readonly baseUrl: string | null;
  readonly renderings: Pick<RenderingStore, "peek">;
  readonly seal: Seal;
  readonly clock: Clock;
}

/**
 * Creates a function that links the items of batches. A URL expires at the item's `expires_at`, or
 * with the cache entry or the token if that is sooner. Signed URLs are cached, because polls are
 * free and not rate-limited.
 */
export function createItemLinks({ baseUrl, renderings, seal, clock }: ItemLinksOptions): LinkItems {
  if (baseUrl === null) return async () => () => null;
  const signed = new LRUCache<string, string>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: (url, key) => url.length + key.length,
  });

  /** Whether a finished item, by id, can be linked. To find out, all its parameters are encoded. */
  const linkable = new LRUCache<string, boolean>({ max: ITEMS_MAX });

  const canLink = ({ id, parameters }: ItemRecord): boolean => {
    const result = linkable.get(id) ?? isLinkable(parameters);
    linkable.set(id, result);
    return result;
  };
  const sign = ({ id, parameters }: ItemRecord, token: TokenRecord, expires: number): string => {
    const key = `${id} ${expires} ${token.id} ${token.sealedSigningSecret}`;
    const cached = signed.get(key);
    if (cached !== undefined) return cached;
    const signingSecret = seal.open(token.sealedSigningSecret);
    const query = toQuery(withoutDelivery(parameters));
    const url = buildSignedUrl(query, { baseUrl, tokenId: token.id, signingSecret, expires });
    signed.set(key, url);
    return url;
  };
  return async ({ batch, token }) => {
    // the secret key was lost, and the token's signing secret has not been replaced yet
    if (!decrypts(seal, token)) return () => null;
    const links = new Map<string, string>();
    const now = clock.now();
    await Promise.all(
      batch.items.map(async (item) => {
        const { id, key, parameters, state } = item;
        if (state.status !== "done" || !token.abilities.includes(modeOf({ pdf: parameters["pdf"] }))) return;
        if (!canLink(item)) return;
        const cached = await renderings.peek({ accountId: batch.accountId, key, now });
        if (cached === null || cached.etag !== state.etag) return;
        const endsAt = Math.min(cached.expiresAt, state.expiresAt ?? Infinity, token.expiresAt ?? Infinity);
        const expires = Math.floor(endsAt / 1000);
        if (expires * 1000 > now) links.set(id, sign(item, token, expires));
      }),
    );
    return ({ id }) => links.get(id) ?? null;
  };
}
