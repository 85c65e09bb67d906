import { RESP_TYPES } from "@redis/client";
import type { RenderingKey, RenderingStore } from "@snap/engine/ports";
import type { RedisConnection } from "../connection/connect.ts";
import { accountDigest, renderingKey, renderingName } from "../keys.ts";
import { readMemory } from "./memory.ts";
import { bytesOffset, METADATA_BYTES, unpackMetadata, type Metadata } from "./packed.ts";
import type { PendingDeletions } from "./pending-deletions.ts";
import { createCacheSpace, type CacheSpaceOptions } from "./cache-space.ts";
import { DELETIONS_PER_CALL } from "./scripts.ts";
import { createTransfer } from "./transfer.ts";

export interface RenderingStoreOptions extends CacheSpaceOptions {
  readonly pending: PendingDeletions;
}

/**
 * The rendering cache that all processes share. It looks empty while Redis is unavailable, but cannot be
 * purged then.
 */
export function createRenderingStore(
  { client, attempt, transferConnection }: RedisConnection,
  { pending, ...options }: RenderingStoreOptions,
): RenderingStore {
  const { keyPrefix, cacheMaxBytes } = options;
  const transfer = createTransfer(transferConnection);
  const space = createCacheSpace(transferConnection, transfer, options);
  const byteClient = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });

  const readMetadata = async (key: string): Promise<Metadata | null> => {
    const read = async (size: number): Promise<Uint8Array> =>
      (await byteClient.getRange(key, 0, size - 1)) ?? new Uint8Array(0);
    const start = await read(METADATA_BYTES);
    const size = bytesOffset(start) ?? 0;
    return unpackMetadata(size > METADATA_BYTES ? await read(size) : start);
  };
  const remove = (key: RenderingKey): Promise<void> =>
    attempt(
      () => client.deleteRenderings(keyPrefix, [renderingName(key)]),
      () => pending.add(renderingName(key)),
    );

  const purge = async (accountId: string | null, digest: string | null): Promise<number> => {
    const request = { accountId, digest };
    for (let sum = 0; ;) {
      const purged = await attempt(() => client.purgeRenderings(keyPrefix, request), failPurge);
      sum += purged;
      if (purged < DELETIONS_PER_CALL) return sum;
    }
  };

  return {
    get: ({ now, ...key }) =>
      transferConnection.attempt(
        async () => unlessExpired(await transfer.read(renderingKey(keyPrefix, key)), now),
        () => null,
      ),
    peek: ({ now, ...key }) =>
      attempt(
        async () => unlessExpired(await readMetadata(renderingKey(keyPrefix, key)), now),
        () => null,
      ),
    async put(request) {
      const isStored = await transferConnection.attempt(
        () => space.store(request),
        () => false,
      );
      // an older rendering under this key must not be returned
      if (!isStored) await remove(request);
    },
    delete: remove,
    prune: ({ now, limit }) =>
      attempt(
        async () => {
          const pruned = await client.pruneRenderings(keyPrefix, { now, limit });
          return pruned + (await space.trim(client, limit - pruned));
        },
        () => 0,
      ),
    purge: ({ accountId }) => purge(accountId, null),
    deleteAccount: ({ accountId }) => purge(accountId, accountDigest(accountId)),
    stats: () =>
      attempt(
        async () => {
          const total = await client.get(`${keyPrefix}cache:total`);
          const { quota, ...limits } = await readMemory(client);
          return { bytes: Number(total ?? 0), maxBytes: cacheMaxBytes ?? quota, ...limits };
        },
        () => null,
      ),
  };
}

/** Other methods work without Redis; here, renderings would remain. */
function failPurge(): never {
  throw new Error("Redis is unavailable, so renderings may remain in it; try again once it is back");
}

function unlessExpired<T extends { readonly expiresAt: number }>(found: T | null, now: number): T | null {
  return found !== null && found.expiresAt > now ? found : null;
}
