export { openPostgresStorage } from "./open-postgres-storage.ts";
export type { PostgresStorage, PostgresStorageOptions, SharedCache } from "./open-postgres-storage.ts";
export type { PoolMode } from "./pooler.ts";
export { openPostgresTarget } from "./transfer/open-postgres-target.ts";
export type { PostgresTarget } from "./transfer/open-postgres-target.ts";
