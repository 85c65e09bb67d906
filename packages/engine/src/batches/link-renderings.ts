import { buildSignedUrl, toQuery } from "@snap/protocol";
import type { BatchRecord, ItemRecord } from "../ports/batches.ts";
import type { RenderingStore } from "../ports/renderings.ts";
import type { TokenRecord } from "../ports/tokens.ts";
import type { Seal } from "../tokens/seal.ts";

export interface LinkParts {
  readonly renderings: RenderingStore;
  readonly seal: Seal;
  /** Base address of the API; `null` makes no links. */
  readonly baseUrl: string | null;
}

/**
 * Finds which renderings of a batch can be fetched by a signed URL, and signs those for `token`: the
 * item is done, its very copy is still cached, and the token may fetch it. A link ends with the copy,
 * or with the token (interface.md, `signed_url`).
 */
export async function linkRenderings(
  { renderings, seal, baseUrl }: LinkParts,
  { batch, token, now }: { readonly batch: BatchRecord; readonly token: TokenRecord; readonly now: number },
): Promise<(item: ItemRecord) => string | null> {
  const links = new Map<string, string>();
  if (baseUrl === null || !batch.items.some(({ state }) => state.status === "done")) return () => null;
  const signingSecret = seal.open(token.sealedSigningSecret);
  await Promise.all(
    batch.items.map(async ({ id, key, parameters, state }) => {
      if (
        state.status !== "done" ||
        !token.abilities.includes(parameters["pdf"] === true ? "pdf" : "screenshot")
      )
        return;
      const kept = await renderings.peek({ accountId: batch.accountId, key, now });
      if (kept === null || kept.etag !== state.etag) return;
      const endsAt = Math.min(kept.expiresAt, state.expiresAt, token.expiresAt ?? Infinity);
      const expires = Math.floor(endsAt / 1000);
      if (expires * 1000 <= now) return;
      links.set(
        id,
        buildSignedUrl(toQuery(parameters), { baseUrl, tokenId: token.id, signingSecret, expires }),
      );
    }),
  );
  return ({ id }) => links.get(id) ?? null;
}
