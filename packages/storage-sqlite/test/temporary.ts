import type { Storage } from "@snap/engine/ports";
import type { StorageSettings } from "@snap/testing";
import { createTemporaryDirectory } from "../../testing/test/servers/temporary-directory.ts";
import { openSqliteStorage } from "../src/index.ts";

export { createTemporaryDirectory };

/** Opens an empty storage in a temporary directory. */
export async function openInTemporaryDirectory(
  settings: StorageSettings,
): Promise<{ storage: Storage; close(): Promise<void> }> {
  const storage = await openSqliteStorage({ directory: await createTemporaryDirectory(), ...settings });
  return { storage, close: () => storage.close() };
}
