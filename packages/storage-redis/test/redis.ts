import { startRedis, type RedisServer } from "../../testing/test/servers/redis.ts";
import { createClient, type RedisClientType } from "@redis/client";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, vi, type Mock } from "vitest";
import { openRedisCache, type RedisCache, type RedisCacheOptions } from "../src/index.ts";

/** Starts a Redis server for the tests in a group. */
export function useRedis(settings: readonly string[] = []): () => RedisServer {
  let server: RedisServer | null = null;
  beforeAll(async () => {
    server = await startRedis(settings);
  });
  afterAll(() => server?.stop());
  return () => {
    if (server === null) throw new Error("Redis has not been started");
    return server;
  };
}

/** Returns a unique key prefix. */
export function newPrefix(): string {
  return `${randomUUID()}:`;
}

export interface WatchedCache extends RedisCache {
  readonly keyPrefix: string;
  readonly onError: Mock<(error: Error) => void>;
  readonly onRecovered: Mock<() => void>;
}

/** Opens a cache for the running test. */
export async function openCache(options: RedisCacheOptions): Promise<WatchedCache> {
  const [keyPrefix, onError, onRecovered] = [
    newPrefix(),
    vi.fn<(error: Error) => void>(),
    vi.fn<() => void>(),
  ];
  const cache = await openRedisCache({ keyPrefix, onError, onRecovered, ...options });
  onTestFinished(() => cache.close());
  return { ...cache, keyPrefix: options.keyPrefix ?? keyPrefix, onError, onRecovered };
}

export function whenBack({ onRecovered }: WatchedCache): Promise<void> {
  return expect.poll(() => onRecovered).toHaveBeenCalledTimes(1);
}

export function whenLost({ onError }: WatchedCache): Promise<void> {
  return expect.poll(() => onError).toHaveBeenCalledTimes(1);
}

/** Opens a plain Redis client. */
export async function openPlainClient(url: string): Promise<RedisClientType> {
  const client: RedisClientType = createClient({ url });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}
