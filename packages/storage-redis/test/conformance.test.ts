import { testBudgetStore, testFlightStore, testRenderingStore } from "@snap/testing";
import { Keyv } from "keyv";
import { describe, it } from "vitest";
import { createKeyvRenderings, openRedisCache, type RedisCache } from "../src/index.ts";
import { newPrefix, useRedis } from "./redis.ts";

/** Nothing listens there. */
const NOWHERE = "redis://127.0.0.1:1";

async function open(url: string): Promise<{ storage: RedisCache; close(): Promise<void> }> {
  const storage = await openRedisCache({ url, keyPrefix: newPrefix() });
  return { storage, close: () => storage.close() };
}

describe("over Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();
  testRenderingStore({ describe, it }, () => open(redis().url), { prunesByItself: true });
  testBudgetStore({ describe, it }, () => open(redis().url));
  testFlightStore({ describe, it }, () => open(redis().url));
});

describe("without Redis", () => {
  testBudgetStore({ describe, it }, () => open(NOWHERE));
});

describe.each([
  ["a Map", () => new Map()],
  ["a Keyv, which keeps text", () => new Keyv()],
])("over %s", (_, createStore) => {
  testRenderingStore(
    { describe, it },
    async () => ({
      storage: { renderings: createKeyvRenderings({ store: createStore() }) },
      close: async () => {},
    }),
    { prunesByItself: true },
  );
});
