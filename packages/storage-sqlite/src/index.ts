export { openSqliteStorage } from "./open-sqlite-storage.ts";
export type { SqliteStorageOptions } from "./open-sqlite-storage.ts";
export { openSqliteSource } from "./transfer/open-sqlite-source.ts";
