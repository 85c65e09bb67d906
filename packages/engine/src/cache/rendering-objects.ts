import { dayOf } from "../days.ts";
import { randomHex } from "../ids.ts";
import type { ObjectBucket, StoreFailure } from "../ports/object-store.ts";
import type { Random } from "../ports/random.ts";
import type { StoredRendering } from "../ports/renderings.ts";

/** Precedes the key of every object. */
const ROOT = "cache/";
const LIST_LIMIT = 1000;
/** Maximum number of list requests per prefix in a purge; with more objects, repeat the purge. */
const LISTS_MAX = 10_000;
const DELETION_BATCH_SIZE = 16;
const POINTER_BYTES_MAX = 100;

/** Where a rendering's bytes are, for the account that owns it. */
export interface ObjectPointer {
  /** UTC date on which the rendering expires. */
  readonly day: string;
  readonly id: string;
  readonly size: number;
}

/**
 * The objects with the bytes of renderings. Keys start with the day on which the rendering expires, such as
 * `cache/2026-11-25/acct_0123456789abcdef0123/5f0c1e2d3a4b5c6d7e8f9a0b1c2d3e4f`, so expired objects are listed first.
 */
export interface RenderingObjects {
  newPointer(rendering: StoredRendering): ObjectPointer;
  keyOf(accountId: string, pointer: ObjectPointer): string;
  /**
   * Deletes some of the objects whose day has passed; returns whether there may be more.
   *
   * @throws Error if the bucket fails.
   */
  sweep(now: number): Promise<boolean>;
  /**
   * Deletes the objects of one account or of all accounts.
   *
   * @throws Error if the bucket fails, or contains too many objects.
   */
  purge(accountId: string | null): Promise<void>;
}

export function createRenderingObjects(bucket: ObjectBucket, random: Random): RenderingObjects {
  const list = async (request: Parameters<ObjectBucket["list"]>[0]): Promise<readonly string[]> => {
    const outcome = await bucket.list(request);
    if ("failure" in outcome) throw bucketFailed(outcome.failure);
    return outcome.keys;
  };
  const deleteAll = async (keys: readonly string[]): Promise<void> => {
    for (let start = 0; start < keys.length; start += DELETION_BATCH_SIZE) {
      const some = keys.slice(start, start + DELETION_BATCH_SIZE);
      const failures = await Promise.all(some.map((key) => bucket.delete(key)));
      for (const failure of failures) if (failure !== null) throw bucketFailed(failure);
    }
  };
  const deleteByPrefix = async (prefix: string): Promise<void> => {
    let after = "";
    for (let lists = 0; lists < LISTS_MAX; lists += 1) {
      const keys = await list({ prefix, after, limit: LIST_LIMIT });
      if (keys.length === 0) return;
      await deleteAll(keys);
      after = keys.at(-1) ?? "";
    }
    throw tooMany();
  };
  return {
    newPointer: ({ expiresAt, bytes }) => ({
      day: dayOf(expiresAt),
      id: randomHex(random, 16),
      size: bytes.byteLength,
    }),
    keyOf: (accountId, { day, id }) => prefixOf(day, accountId) + id,
    async sweep(now) {
      const keys = await list({ prefix: ROOT, after: "", limit: LIST_LIMIT });
      const today = dayOf(now);
      const expiredKeys = keys.filter((key) => dayIn(key) < today);
      await deleteAll(expiredKeys);
      return expiredKeys.length === LIST_LIMIT;
    },
    async purge(accountId) {
      if (accountId === null) return deleteByPrefix(ROOT);
      let after = "";
      for (let lists = 0; lists < LISTS_MAX; lists += 1) {
        const [next] = await list({ prefix: ROOT, after, limit: 1 });
        if (next === undefined) return;
        await deleteByPrefix(prefixOf(dayIn(next), accountId));
        // 0 follows the slash in ASCII, so all objects of the day sort before this
        after = `${ROOT}${dayIn(next)}0`;
      }
      throw tooMany();
    },
  };
}

function prefixOf(day: string, accountId: string): string {
  return `${ROOT}${day}/${encodeURIComponent(accountId)}/`;
}

function dayIn(key: string): string {
  return key.slice(ROOT.length).split("/", 1)[0] ?? "";
}

function tooMany(): Error {
  return new Error(
    "the object store contains too many cached renderings to delete at once; repeat the deletion",
  );
}

function bucketFailed({ detail }: StoreFailure): Error {
  return new Error(
    `the object store failed (${detail}), so renderings may remain in it until a retry succeeds`,
  );
}

/** Encodes a pointer as the bytes of an index entry. No rendering starts with these bytes. */
export function encodePointer({ day, id, size }: ObjectPointer): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`snap-object ${day}/${id} ${size}`);
}

/** Returns `null` for the bytes of a rendering. */
export function decodePointer(bytes: Uint8Array): ObjectPointer | null {
  if (bytes.byteLength > POINTER_BYTES_MAX) return null;
  const pattern = /^snap-object (?<day>\d{4}-\d\d-\d\d)\/(?<id>[0-9a-f]{32}) (?<size>\d{1,12})$/;
  const { day, id, size } = pattern.exec(new TextDecoder().decode(bytes))?.groups ?? {};
  if (day === undefined || id === undefined || size === undefined) return null;
  return { day, id, size: Number(size) };
}
