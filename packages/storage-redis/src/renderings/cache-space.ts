import type { Eviction, RenderingKey, StoredRendering } from "@snap/engine/ports";
import { randomUUID } from "node:crypto";
import { isOutOfMemory, type ScriptedClient } from "../connection/client.ts";
import type { TransferConnection } from "../connection/connect.ts";
import { accountDigest, renderingName } from "../keys.ts";
import { readMemory } from "./memory.ts";
import type { EvictOutcome, EvictRequest, StoreRequest } from "./scripts.ts";
import type { Transfer } from "./transfer.ts";

/** Counted against the quota for each rendering, in addition to its bytes: its metadata, and its place in the index. */
const OVERHEAD_BYTES = 4096;
const STORE_ATTEMPTS = 3;

export interface CacheSpaceOptions {
  readonly keyPrefix: string;
  /** `null` to derive it from Redis's memory. */
  readonly cacheMaxBytes: number | null;
  readonly onEvicted: (eviction: Eviction) => void;
}

/** The space for renderings, limited by the quota and Redis's memory. */
export interface CacheSpace {
  /** Stores a rendering, and evicts others to make space for it; returns `false` if it does not fit. */
  store(request: RenderingKey & { readonly rendering: StoredRendering }): Promise<boolean>;
  /** Updates the quota, and evicts at most `limit` renderings that exceed it; returns how many were evicted. */
  trim(client: ScriptedClient, limit: number): Promise<number>;
}

export function createCacheSpace(
  connection: TransferConnection,
  transfer: Transfer,
  { keyPrefix, cacheMaxBytes, onEvicted }: CacheSpaceOptions,
): CacheSpace {
  let quotaBytes = cacheMaxBytes;
  const refreshQuota = async (client: ScriptedClient): Promise<number> =>
    (quotaBytes = cacheMaxBytes ?? (await readMemory(client)).quota);

  /** Returns the total size of the evicted renderings. */
  const reportEvictions = (reason: Eviction["reason"], { evictions }: EvictOutcome): number => {
    for (const eviction of evictions) onEvicted({ reason, ...eviction });
    return evictions.reduce((sum, eviction) => sum + eviction.bytes, 0);
  };
  /** Evicts in several calls; returns the size of the evicted renderings. */
  const evict = async ({ maxBytes, needed }: EvictRequest): Promise<number> => {
    for (let freedBytes = 0; ;) {
      const stillNeeded = needed && { ...needed, bytes: Math.max(0, needed.bytes - freedBytes) };
      const outcome = await connection.withTimeout({ bytes: 0 }, () =>
        connection.client.evictRenderings(keyPrefix, { maxBytes, needed: stillNeeded }),
      );
      freedBytes += reportEvictions(needed === undefined ? "quota" : "space", outcome);
      if (outcome.isDone) return freedBytes;
    }
  };
  /** Returns `false` if the memory stays full, or if the staged value has disappeared. */
  const storeWithin = async (
    maxBytes: number,
    rendering: StoredRendering,
    entry: Pick<StoreRequest, "name" | "accountId" | "digest" | "bytes">,
  ): Promise<boolean> => {
    const { storedAt, expiresAt } = rendering;
    for (let attempts = 1; attempts <= STORE_ATTEMPTS; attempts += 1) {
      const stagedKey = `${keyPrefix}staged:${randomUUID()}`;
      const request = { ...entry, stagedKey, storedAt, expiresAt, maxBytes };
      try {
        const outcome = await transfer.write(stagedKey, rendering, () =>
          connection.client.storeRendering(keyPrefix, request),
        );
        if (outcome === null) return false;
        reportEvictions("quota", outcome);
        if (!outcome.isDone) await evict({ maxBytes });
        return true;
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
      }
      await connection.withTimeout({ bytes: 0 }, () => connection.client.unlink(stagedKey));
      if ((await evict({ maxBytes, needed: entry })) === 0) return false;
    }
    return false;
  };

  return {
    async store({ rendering, ...key }) {
      const { accountId } = key;
      const maxBytes =
        quotaBytes ?? (await connection.withTimeout({ bytes: 0 }, () => refreshQuota(connection.client)));
      const countedBytes = rendering.bytes.byteLength + OVERHEAD_BYTES;
      const fits = countedBytes <= maxBytes;
      const entry = {
        name: renderingName(key),
        accountId,
        digest: accountDigest(accountId),
        bytes: countedBytes,
      };
      if (fits && (await storeWithin(maxBytes, rendering, entry))) return true;
      // a rendering that does not fit counts as evicted immediately (`RenderingStore`)
      onEvicted({ reason: fits ? "space" : "quota", accountId, renderings: 1, bytes: countedBytes });
      return false;
    },
    async trim(client, limit) {
      const outcome = await client.evictRenderings(keyPrefix, {
        maxBytes: await refreshQuota(client),
        limit,
      });
      reportEvictions("quota", outcome);
      return outcome.evictions.reduce((sum, { renderings }) => sum + renderings, 0);
    },
  };
}
