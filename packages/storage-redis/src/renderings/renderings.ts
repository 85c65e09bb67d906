import KeyvRedis, { type RedisClientConnectionType } from "@keyv/redis";
import { RESP_TYPES } from "@redis/client";
import type { RenderingStore } from "@snap/engine/ports";
import type { RedisConnection } from "../connection/connect.ts";
import { createKeyvRenderings, renderingKey } from "./keyv-renderings.ts";
import type { PendingDeletions } from "./pending-deletions.ts";

/** The rendering cache that all processes share. It is empty while Redis is unavailable. */
export function createRenderingStore(
  { client, attempt }: RedisConnection,
  { keyPrefix, pending }: { readonly keyPrefix: string; readonly pending: PendingDeletions },
): RenderingStore {
  const byteClient = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  // the adapter declares a client with arbitrary scripts
  const adapter = new KeyvRedis(byteClient as unknown as RedisClientConnectionType, { throwOnErrors: true });
  const renderings = createKeyvRenderings({
    store: adapter,
    keyPrefix,
    readStart: async (key, size) => (await byteClient.getRange(key, 0, size - 1)) ?? new Uint8Array(0),
  });
  return {
    get: (request) =>
      attempt(
        () => renderings.get(request),
        () => null,
      ),
    peek: (request) =>
      attempt(
        () => renderings.peek(request),
        () => null,
      ),
    put: (request) =>
      attempt(
        () => renderings.put(request),
        () => pending.add(renderingKey(keyPrefix, request)),
      ),
    delete: (request) =>
      attempt(
        () => renderings.delete(request),
        () => pending.add(renderingKey(keyPrefix, request)),
      ),
    prune: (request) => renderings.prune(request),
  };
}
