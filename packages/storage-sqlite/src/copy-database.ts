import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Copies a database as of the latest commit, also while another connection of this process holds the write lock. The copy
 * is complete and on the disk when it gets its name.
 */
export function copyDatabase(filename: string, copy: string): void {
  const draft = `${copy}.draft`;
  rmSync(draft, { force: true });
  try {
    // SQLite would create the file readable for everyone, but accepts an empty one
    closeSync(openSync(draft, "wx", 0o600));
    const reader = new DatabaseSync(filename);
    try {
      reader.prepare("VACUUM INTO ?").run(draft);
    } finally {
      reader.close();
    }
    syncFile(draft);
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function syncFile(filename: string): void {
  const file = openSync(filename, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
