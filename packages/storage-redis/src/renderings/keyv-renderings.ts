import type { RenderingStore } from "@snap/engine/ports";
import { accountDigest, EXPIRY_GRACE_MS, isRenderingOf, renderingKey } from "../keys.ts";
import { pack, unpack, unpackMetadata } from "./packed.ts";
import { DELETION_MARK_TTL_MS } from "./scripts.ts";

/**
 * The parts of a Keyv store that the cache uses: a `Map`, or an adapter or a `Keyv` to which you add `keys`.
 * Its methods may return promises. `get` must return the bytes as a `Uint8Array`. Wrap a text-only store in a
 * `Keyv`, which serializes bytes as base64; that takes a third more space, and more time.
 */
export interface KeyvStore {
  get(key: string): unknown;
  /** Called with a `Buffer`; typed as `never` because adapters declare different types. */
  set(key: string, value: never, ttlMs?: number): unknown;
  delete(key: string): unknown;
  /** All keys, or at least those with the renderings' prefix. A `Keyv` has them in its `iterator`. */
  keys(): Iterable<string> | AsyncIterable<string>;
}

export interface KeyvRenderingsOptions {
  readonly store: KeyvStore;
  /** Prefix of all keys; `snap:` by default. */
  readonly keyPrefix?: string;
}

/**
 * The rendering cache on any Keyv store. A rendering is one value, with its bytes unencoded. It
 * expires by the caller's clock. The store must delete it itself, a minute later, so `prune` does
 * nothing. There is no quota: the store must limit its size. A `Map` does neither, so it is for tests
 * only.
 *
 * Methods reject with the store's errors.
 *
 * @example
 * // for a test: a Map never deletes expired renderings
 * const renderings = createKeyvRenderings({ store: new Map() });
 * const found = await renderings.get({ accountId: "acct_1", key: "0f1e", now: Date.now() });
 */
export function createKeyvRenderings({ store, keyPrefix = "snap:" }: KeyvRenderingsOptions): RenderingStore {
  const read = async (key: string): Promise<Uint8Array | null> => {
    const value = (await store.get(key)) ?? null;
    if (value !== null && !(value instanceof Uint8Array))
      throw new TypeError(
        "The Keyv store does not preserve bytes; wrap it in `new Keyv({ store })`, and pass Keyv's `iterator` as `keys`.",
      );
    return value;
  };
  const deletionKey = (accountId: string): string => `${keyPrefix}deleted:${accountDigest(accountId)}`;
  const isDeleted = async (accountId: string): Promise<boolean> =>
    (await read(deletionKey(accountId))) !== null;
  const purge = async (accountId: string | null): Promise<number> => {
    let purged = 0;
    for await (const key of store.keys()) {
      if (!isRenderingOf(key, { keyPrefix, accountId })) continue;
      await store.delete(key);
      purged += 1;
    }
    return purged;
  };
  return {
    async get({ now, ...request }) {
      const value = await read(renderingKey(keyPrefix, request));
      const rendering = value === null ? null : unpack(value);
      return rendering !== null && rendering.expiresAt > now ? rendering : null;
    },
    async peek({ now, ...request }) {
      const value = await read(renderingKey(keyPrefix, request));
      const metadata = value === null ? null : unpackMetadata(value);
      return metadata !== null && metadata.expiresAt > now ? metadata : null;
    },
    async put({ rendering, ...request }) {
      if (await isDeleted(request.accountId)) return;
      const key = renderingKey(keyPrefix, request);
      const ttlMs = Math.max(0, Math.ceil(rendering.expiresAt - rendering.storedAt));
      await store.set(key, pack(rendering) as never, ttlMs + EXPIRY_GRACE_MS);
      // a deletion in the meantime may have listed the keys before this one was set
      if (await isDeleted(request.accountId)) await store.delete(key);
    },
    async delete(request) {
      await store.delete(renderingKey(keyPrefix, request));
    },
    async prune() {
      return 0;
    },
    purge: ({ accountId }) => purge(accountId),
    async deleteAccount({ accountId }) {
      await store.set(deletionKey(accountId), Buffer.from("deleted") as never, DELETION_MARK_TTL_MS);
      return purge(accountId);
    },
    async stats() {
      return null;
    },
  };
}
