import { RESP_TYPES } from "@redis/client";
import type { RenderingKey, RenderingStore } from "@snap/engine/ports";
import type { RedisConnection } from "../connection/connect.ts";
import { renderingKey, renderingName } from "../keys.ts";
import { readMemory } from "./memory.ts";
import { bytesOffset, DESCRIPTION_BYTES, unpackDescription, type Description } from "./packed.ts";
import type { PendingDeletions } from "./pending-deletions.ts";
import { createRoom, type RoomOptions } from "./room.ts";
import { createTransfer } from "./transfer.ts";

export interface RenderingStoreOptions extends RoomOptions {
  readonly pending: PendingDeletions;
}

/** The rendering cache that all processes share. It is empty while Redis is unavailable. */
export function createRenderingStore(
  { client, attempt, bytes }: RedisConnection,
  { pending, ...options }: RenderingStoreOptions,
): RenderingStore {
  const { keyPrefix, cacheMaxBytes } = options;
  const transfer = createTransfer(bytes);
  const room = createRoom(bytes, transfer, options);
  const byteClient = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });

  const describe = async (key: string): Promise<Description | null> => {
    const read = async (size: number): Promise<Uint8Array> =>
      (await byteClient.getRange(key, 0, size - 1)) ?? new Uint8Array(0);
    const start = await read(DESCRIPTION_BYTES);
    const size = bytesOffset(start) ?? 0;
    return unpackDescription(size > DESCRIPTION_BYTES ? await read(size) : start);
  };
  const remove = (key: RenderingKey): Promise<void> =>
    attempt(
      () => client.forgetRenderings(keyPrefix, [renderingName(key)]),
      () => pending.add(renderingName(key)),
    );

  return {
    get: ({ now, ...key }) =>
      bytes.attempt(
        async () => unlessExpired(await transfer.read(renderingKey(keyPrefix, key)), now),
        () => null,
      ),
    peek: ({ now, ...key }) =>
      attempt(
        async () => unlessExpired(await describe(renderingKey(keyPrefix, key)), now),
        () => null,
      ),
    async put(request) {
      const isStored = await bytes.attempt(
        () => room.store(request),
        () => false,
      );
      if (!isStored) await remove(request);
    },
    delete: remove,
    prune: ({ now, limit }) =>
      attempt(
        async () => {
          const pruned = await client.pruneRenderings(keyPrefix, { now, limit });
          return pruned + (await room.trim(client, limit - pruned));
        },
        () => 0,
      ),
    stats: () =>
      attempt(
        async () => {
          const total = await client.get(`${keyPrefix}cache:total`);
          const { quota, ...memory } = await readMemory(client);
          return { bytes: Number(total ?? 0), maxBytes: cacheMaxBytes ?? quota, ...memory };
        },
        () => null,
      ),
  };
}

function unlessExpired<T extends { readonly expiresAt: number }>(found: T | null, now: number): T | null {
  return found !== null && found.expiresAt > now ? found : null;
}
