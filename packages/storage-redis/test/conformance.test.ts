import { createObjectRenderings, createS3Store } from "@snap/engine";
import { testRateLimiter, testRenderLeases, testRenderingStore, type StorageSettings } from "@snap/testing";
import { Keyv } from "keyv";
import { createClient } from "@redis/client";
import { describe, expect, it } from "vitest";
import { createKeyvRenderings, openRedisCache, type RedisCache } from "../src/index.ts";
import { openObjectStore, STORE_CREDENTIALS } from "../../testing/test/servers/object-store.ts";
import { newPrefix, useRedis } from "./redis.ts";

/** Rejects connections. */
const UNREACHABLE = "redis://127.0.0.1:1";

async function open(
  url: string,
  settings: StorageSettings = {},
): Promise<{ storage: RedisCache; close(): Promise<void> }> {
  const storage = await openRedisCache({ url, keyPrefix: newPrefix(), ...settings });
  return { storage, close: () => storage.close() };
}

describe("with Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();
  testRenderingStore({ describe, it }, (settings) => open(redis().url, settings));
  testRateLimiter({ describe, it }, () => open(redis().url));
  testRenderLeases({ describe, it }, () => open(redis().url));
});

describe("with Redis, and all bytes in an object store", { tags: ["redis"] }, () => {
  const redis = useRedis();
  testRenderingStore(
    { describe, it },
    async (settings) => {
      const server = await openObjectStore();
      const cache = await openRedisCache({
        url: redis().url,
        keyPrefix: newPrefix(),
        // a busy machine must not look like an outage
        commandTimeoutMs: 30_000,
        ...settings,
      });
      const bucket = createS3Store({ ...STORE_CREDENTIALS, endpoint: server.origin });
      const renderings = createObjectRenderings({ index: cache.renderings, bucket, inlineMaxBytes: 0 });
      return {
        storage: { renderings },
        close: async () => void (await Promise.all([cache.close(), server.close()])),
      };
    },
    // the quota of the index does not count bytes in the bucket
    { isUnlimited: true },
  );
});

/** Adds `keys` from Keyv's `iterator`, as the README advises. */
function withKeys(keyv: Keyv): Keyv & { keys(): AsyncIterable<string> } {
  return Object.assign(keyv, {
    async *keys() {
      for await (const [key] of keyv.iterator?.(undefined) ?? []) yield String(key);
    },
  });
}

/** The commands listed in the README. */
const COMMANDS = [
  "get set append getrange strlen rename pexpire unlink incrby",
  "hget hset hdel zadd zincrby zrem zrange",
  "eval evalsha time info ping client select",
].flatMap((line) => line.split(" "));

describe("with Redis, as a user with only the permissions listed in the README", { tags: ["redis"] }, () => {
  const redis = useRedis();
  let users = 0;
  const addUser = async (commands: readonly string[]): Promise<string> => {
    const client = createClient({ url: redis().url });
    await client.connect();
    const name = `user-${(users += 1)}`;
    await client.aclSetUser(name, ["on", ">secret", "~*", ...commands.map((command) => `+${command}`)]);
    await client.close();
    return redis().url.replace("//", `//${name}:secret@`);
  };
  const openAsUser = async (settings?: StorageSettings): ReturnType<typeof open> =>
    open(await addUser(COMMANDS), settings);
  testRenderingStore({ describe, it }, openAsUser);
  testRateLimiter({ describe, it }, openAsUser);
  testRenderLeases({ describe, it }, openAsUser);

  it.each(COMMANDS.filter((command) => !["eval", "client", "select"].includes(command)))(
    "refuses to open if the user may not run %s",
    async (missing) => {
      const url = await addUser(COMMANDS.filter((command) => command !== missing));
      await expect(open(url)).rejects.toThrow(
        /rejected the connection: .*(permissions|can't run).*; allow its user the commands and keys listed in the README of @snap\/storage-redis$/,
      );
    },
  );
});

describe("without Redis", () => {
  testRateLimiter({ describe, it }, () => open(UNREACHABLE));
});

describe.each([
  ["a Map", () => new Map()],
  ["a text-only Keyv", () => withKeys(new Keyv())],
])("with %s", (_, createStore) => {
  testRenderingStore(
    { describe, it },
    async () => ({
      storage: { renderings: createKeyvRenderings({ store: createStore() }) },
      close: async () => {},
    }),
    // expiry, and any size limit, are up to the Keyv store
    { prunesByItself: true, isUnlimited: true },
  );
});
