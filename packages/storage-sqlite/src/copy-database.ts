import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createPrivately, sync } from "./private-files.ts";

/**
 * Copies a database as of the latest commit, even while another connection of this process holds the write lock. The copy
 * is complete and on the disk when it gets its name.
 */
export function copyDatabase(filename: string, copy: string): void {
  const draft = `${copy}.draft`;
  rmSync(draft, { force: true });
  try {
    // SQLite would create the file readable for everyone, but accepts an empty one
    createPrivately(draft);
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
