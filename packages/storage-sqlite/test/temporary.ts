import type { Storage } from "@snap/engine/ports";
import type { StorageSettings } from "@snap/testing";
import { temporaryDirectory } from "../../testing/test/servers/temporary-directory.ts";
import { openSqliteStorage } from "../src/index.ts";

export { temporaryDirectory };

/** Opens an empty storage in a temporary directory. */
export async function openInTemporaryDirectory(
  settings: StorageSettings,
): Promise<{ storage: Storage; close(): Promise<void> }> {
  const storage = await openSqliteStorage({ directory: await temporaryDirectory(), ...settings });
  return { storage, close: () => storage.close() };
}
