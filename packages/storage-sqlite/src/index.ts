export { openSqliteStorage } from "./open-sqlite-storage.ts";
export type { SqliteStorageOptions } from "./open-sqlite-storage.ts";
