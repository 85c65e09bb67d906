import type { Storage } from "@snap/engine/ports";
import type { StorageSettings } from "@snap/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStorage } from "../src/index.ts";

/** Creates a directory for the running test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "snap-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** Opens an empty storage in a temporary directory. */
export async function openInTemporaryDirectory(
  settings: StorageSettings,
): Promise<{ storage: Storage; close(): Promise<void> }> {
  const storage = await openSqliteStorage({ directory: await temporaryDirectory(), ...settings });
  return { storage, close: () => storage.close() };
}
