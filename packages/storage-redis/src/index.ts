export { RedisUnreachableError } from "./connection/remedies.ts";
export { openRedisCache } from "./open-redis-cache.ts";
export type { RedisCache, RedisCacheOptions } from "./open-redis-cache.ts";
export { createKeyvRenderings } from "./renderings/keyv-renderings.ts";
export type { KeyvRenderingsOptions, KeyvStore } from "./renderings/keyv-renderings.ts";
