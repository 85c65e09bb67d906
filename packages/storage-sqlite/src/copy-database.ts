import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createPrivateFile, sync } from "./private-files.ts";

/**
 * Copies a database as of the latest commit, even while another connection of this process holds the write lock. The copy
 * is renamed into place once it is complete and on disk.
 */
export function copyDatabase(filename: string, copy: string): void {
  const draft = `${copy}.draft`;
  rmSync(draft, { force: true });
  try {
    // VACUUM INTO accepts an existing empty file, but would create one that others can read
    createPrivateFile(draft);
    const reader = new DatabaseSync(filename);
    try {
      reader.prepare("VACUUM INTO ?").run(draft);
    } finally {
      reader.close();
    }
    sync(draft);
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
