export { openPostgresStorage } from "./open-postgres-storage.ts";
export type { PostgresStorageOptions, SharedCache } from "./open-postgres-storage.ts";
export { openPostgresTarget } from "./transfer/open-postgres-target.ts";
