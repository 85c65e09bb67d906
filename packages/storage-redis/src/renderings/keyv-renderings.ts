import type { RenderingKey, RenderingStore } from "@snap/engine/ports";
import { EXPIRY_GRACE_MS, keyOf } from "../keys.ts";
import {
  DESCRIPTION_BYTES,
  pack,
  unpack,
  unpackDescription,
  whereBytesBegin,
  type Description,
} from "./packed.ts";

/**
 * What is used of a Keyv store: an adapter such as `@keyv/redis`, a `Map`, or a whole `Keyv`. Answers may be
 * promises. What was set must come back as a `Uint8Array`. One that keeps text only does so inside a
 * `Keyv`, whose serialiser turns bytes into base64 and back; that costs a third more room, and time.
 */
export interface KeyvStore {
  get(key: string): unknown;
  /** A `Buffer` is set; adapters have different types for what they take. */
  set(key: string, value: never, ttlMs?: number): unknown;
  delete(key: string): unknown;
}

export interface KeyvRenderingsOptions {
  readonly store: KeyvStore;
  /** What all keys begin with; `snap:` unless given. */
  readonly keyPrefix?: string;
  /**
   * Reads at least the first `size` bytes of a value, or all of a shorter one; empty when there is none. Without
   * it the whole value is read to describe it.
   */
  readonly readStart?: (key: string, size: number) => Promise<Uint8Array>;
}

/**
 * The rendering cache over any Keyv store. A rendering is one value, with its bytes as they are. When
 * it is over is told by the caller's instants; the store is given a time to live that is a minute longer, and
 * deletes by it what nobody asks for: `prune` has nothing to do.
 *
 * Methods reject as the store does.
 *
 * @example
 * const renderings = createKeyvRenderings({ store: new Map() });
 * const found = await renderings.get({ accountId: "acct_1", key: "0f1e", now: Date.now() });
 */
export function createKeyvRenderings({
  store,
  keyPrefix = "snap:",
  readStart,
}: KeyvRenderingsOptions): RenderingStore {
  const read = async (key: string): Promise<Uint8Array | null> => {
    const value = (await store.get(key)) ?? null;
    if (value !== null && !(value instanceof Uint8Array))
      throw new TypeError("The Keyv store does not keep bytes as bytes: hand in `new Keyv(store)` instead.");
    return value;
  };
  const describe = async (key: string): Promise<Description | null> => {
    if (readStart === undefined) {
      const value = await read(key);
      return value === null ? null : unpackDescription(value);
    }
    const start = await readStart(key, DESCRIPTION_BYTES);
    const wanted = whereBytesBegin(start);
    const isShort = wanted !== null && wanted > start.byteLength && start.byteLength >= DESCRIPTION_BYTES;
    return unpackDescription(isShort ? await readStart(key, wanted) : start);
  };
  return {
    async get({ now, ...request }) {
      const value = await read(renderingKey(keyPrefix, request));
      const rendering = value === null ? null : unpack(value);
      return rendering !== null && rendering.expiresAt > now ? rendering : null;
    },
    async peek({ now, ...request }) {
      const description = await describe(renderingKey(keyPrefix, request));
      return description !== null && description.expiresAt > now ? description : null;
    },
    async put({ rendering, ...request }) {
      const lifeMs = Math.max(0, Math.ceil(rendering.expiresAt - rendering.storedAt));
      await store.set(renderingKey(keyPrefix, request), pack(rendering) as never, lifeMs + EXPIRY_GRACE_MS);
    },
    async delete(request) {
      await store.delete(renderingKey(keyPrefix, request));
    },
    async prune() {
      return 0;
    },
  };
}

/** Under what a rendering is kept. */
export function renderingKey(prefix: string, { accountId, key }: RenderingKey): string {
  return keyOf(prefix, "rendering", accountId, key);
}
