import { createTransferBudget } from "../limits/byte-budget.ts";
import { guard, warn } from "../listeners.ts";
import { systemClock, type Clock } from "../ports/clock.ts";
import type { ObjectBucket, StoreFailure } from "../ports/object-store.ts";
import { systemRandom, type Random } from "../ports/random.ts";
import type { RenderingStore } from "../ports/renderings.ts";
import { DEFAULT_MAX_RENDERING_BYTES } from "../rendering-limit.ts";
import { entityTag } from "./entity-tag.ts";
import { createRenderingObjects, decodePointer, encodePointer } from "./rendering-objects.ts";

/** For smaller renderings, the overhead of a request exceeds the transfer time. */
const INLINE_BYTES_MAX = 32 * 1024;
/** How long a bucket is not used after a failure, so requests do not wait for it. */
const PAUSE_MS = 5_000;
const SWEEP_INTERVAL_MS = 3_600_000;
/** Interval while there are more expired objects than one sweep deletes. */
const SWEEP_NEXT_MS = 60_000;

export interface ObjectRenderingsOptions {
  /** Stores the metadata and the small renderings, such as the `renderings` of a SQLite storage or of Redis. */
  readonly index: RenderingStore;
  /** Used by this service only, or with a prefix: a purge deletes every object whose key starts with `cache/`. */
  readonly bucket: ObjectBucket;
  /** Larger renderings are stored in the bucket; 32 KiB by default. */
  readonly inlineMaxBytes?: number | undefined;
  /** Size of the largest rendering; 64 MiB by default. */
  readonly maxRenderingBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Called once, with the reason, when the bucket starts to fail. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Called once when the bucket works again. */
  readonly onRecovered?: (() => void) | undefined;
}

/**
 * The rendering cache with the bytes of large renderings in an object store. In the index, such an entry's bytes
 * are a short pointer to the object, so the index's quota counts 4,096 bytes plus the pointer.
 *
 * A large rendering is a miss if its object is lost or corrupt, while the bucket fails, or while
 * the account transfers more than 128 MiB, or all accounts more than 512 MiB, at a time; the limits
 * grow with a `maxRenderingBytes` above 128 MiB. While the bucket fails or a limit is reached,
 * `put` does not store a large rendering, and deletes an earlier one under its key. If the bucket
 * fails, `get` and `put` do not reject; `purge`, `deleteAccount` and `prune` do, because objects
 * would remain.
 *
 * `prune` deletes objects from the day after their renderings expire, including those of renderings that were replaced
 * or evicted: a reader may still be fetching them.
 *
 * @example
 * const bucket = createS3Store({
 *   endpoint: "https://s3.eu-central-1.amazonaws.com",
 *   region: "eu-central-1",
 *   bucket: "example-renderings",
 *   accessKeyId: "AKIAIOSFODNN7EXAMPLE",
 *   secretAccessKey: process.env.CACHE_SECRET_ACCESS_KEY ?? "",
 * });
 * const renderings = createObjectRenderings({ index: storage.renderings, bucket });
 * const engine = createEngine({ storage: { ...storage, renderings }, renderer, secretKey });
 */
export function createObjectRenderings({
  index,
  bucket,
  inlineMaxBytes = INLINE_BYTES_MAX,
  maxRenderingBytes = DEFAULT_MAX_RENDERING_BYTES,
  clock = systemClock,
  random = systemRandom,
  onError,
  onRecovered,
}: ObjectRenderingsOptions): RenderingStore {
  const objects = createRenderingObjects(bucket, random);
  const budget = createTransferBudget(maxRenderingBytes);
  const attempt = createAttempt({
    clock,
    onError: guard(onError, warn),
    onRecovered: guard<void>(onRecovered, warn),
  });
  /** Returns `null` if the bucket fails, or if too many bytes are in transit. */
  const transfer = async <T extends object>(
    { accountId, size }: { readonly accountId: string; readonly size: number },
    request: () => Promise<T | Failed>,
  ): Promise<T | null> => {
    const release = budget.take(accountId, size);
    return release === null ? null : attempt(request).finally(release);
  };
  let nextSweepAt = 0;

  return {
    async get(request) {
      const entry = await index.get(request);
      const pointer = entry === null ? null : decodePointer(entry.bytes);
      if (entry === null || pointer === null) return entry;
      const { accountId, key } = request;
      const { size } = pointer;
      const objectKey = objects.keyOf(accountId, pointer);
      const found = await transfer({ accountId, size }, () => bucket.get({ key: objectKey, maxBytes: size }));
      if (found === null) return null;
      const { bytes } = found;
      if (bytes !== null && (await entityTag(bytes)) === entry.etag) return { ...entry, bytes };
      // lost or corrupt
      await index.delete({ accountId, key });
      return null;
    },
    peek: (request) => index.peek(request),
    async put({ rendering, ...key }) {
      const { bytes, contentType, etag, storedAt } = rendering;
      if (bytes.byteLength <= inlineMaxBytes) return index.put({ ...key, rendering });
      const { accountId } = key;
      const pointer = objects.newPointer(rendering);
      const objectKey = objects.keyOf(accountId, pointer);
      // the entity tag is the quoted SHA-256
      const object = { key: objectKey, bytes, sha256: etag.slice(1, -1), contentType };
      const stored = await transfer({ accountId, size: pointer.size }, () => bucket.put(object));
      // an older rendering under this key must not be returned
      if (stored === null) return index.delete(key);
      await index.put({ ...key, rendering: { ...rendering, bytes: encodePointer(pointer) } });
      // the account is being deleted, or the index has no space
      if ((await index.peek({ ...key, now: storedAt })) === null) await bucket.delete(objectKey);
    },
    async delete(key) {
      const entry = await index.get({ ...key, now: 0 });
      await index.delete(key);
      const pointer = entry === null ? null : decodePointer(entry.bytes);
      if (pointer !== null) await bucket.delete(objects.keyOf(key.accountId, pointer));
    },
    async prune({ now, limit }) {
      const pruned = await index.prune({ now, limit });
      // a bucket that fails must not delay the index, whose pruning comes first
      if (pruned < limit && now >= nextSweepAt) {
        const hasMore = await objects.sweep(now);
        nextSweepAt = now + (hasMore ? SWEEP_NEXT_MS : SWEEP_INTERVAL_MS);
      }
      return pruned;
    },
    async purge(selection) {
      const purged = await index.purge(selection);
      await objects.purge(selection.accountId);
      return purged;
    },
    async deleteAccount(request) {
      const deleted = await index.deleteAccount(request);
      await objects.purge(request.accountId);
      return deleted;
    },
    stats: () => index.stats(),
  };
}

interface Failed {
  readonly failure: StoreFailure;
}

/**
 * Returns a function that returns `null` while the bucket fails. After a failure, it makes one request per pause, to
 * find out whether the bucket works again.
 */
function createAttempt({
  clock,
  onError,
  onRecovered,
}: {
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  readonly onRecovered: () => void;
}): <T extends object>(request: () => Promise<T | Failed>) => Promise<T | null> {
  /** `null` while the bucket works. */
  let pausedAt: number | null = null;
  return async (request) => {
    if (pausedAt !== null) {
      // a clock that was set back does not make the pause longer
      if (Math.abs(clock.now() - pausedAt) < PAUSE_MS) return null;
      pausedAt = clock.now();
    }
    const outcome = await request();
    if (hasFailed(outcome)) {
      const isNew = pausedAt === null;
      pausedAt = clock.now();
      if (isNew) onError(outageOf(outcome.failure));
      return null;
    }
    if (pausedAt !== null) onRecovered();
    pausedAt = null;
    return outcome;
  };
}

function hasFailed(outcome: object): outcome is Failed {
  return "failure" in outcome;
}

function outageOf({ detail }: StoreFailure): Error {
  return new Error(
    `The object store for cached renderings is failing: ${detail}. Large renderings are not cached until it works again.`,
  );
}
