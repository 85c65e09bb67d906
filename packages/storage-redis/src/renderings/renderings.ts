import KeyvRedis, { type RedisClientConnectionType } from "@keyv/redis";
import { RESP_TYPES } from "@redis/client";
import type { RenderingStore } from "@snap/engine/ports";
import type { RedisConnection } from "../connection/connect.ts";
import { createKeyvRenderings, renderingKey } from "./keyv-renderings.ts";
import type { OwedDeletions } from "./owed-deletions.ts";

/** The rendering cache that all processes share. While Redis can't be used there is nothing in it. */
export function createRenderingStore(
  { client, attempt }: RedisConnection,
  { keyPrefix, owed }: { readonly keyPrefix: string; readonly owed: OwedDeletions },
): RenderingStore {
  const ofBytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  // Its type is of a client whose scripts could be any.
  const adapter = new KeyvRedis(ofBytes as unknown as RedisClientConnectionType, { throwOnErrors: true });
  const kept = createKeyvRenderings({
    store: adapter,
    keyPrefix,
    readStart: async (key, size) => (await ofBytes.getRange(key, 0, size - 1)) ?? new Uint8Array(0),
  });
  return {
    get: (request) =>
      attempt(
        () => kept.get(request),
        () => null,
      ),
    peek: (request) =>
      attempt(
        () => kept.peek(request),
        () => null,
      ),
    put: (request) =>
      attempt(
        () => kept.put(request),
        () => owed.add(renderingKey(keyPrefix, request)),
      ),
    delete: (request) =>
      attempt(
        () => kept.delete(request),
        () => owed.add(renderingKey(keyPrefix, request)),
      ),
    prune: (request) => kept.prune(request),
  };
}
