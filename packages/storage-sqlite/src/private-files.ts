import { chownSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates an empty file that only its owner can access, unless the file exists. A storage's files contain hashes and
 * encrypted secrets. SQLite gives `-wal` and `-shm` the same mode.
 */
export function createPrivateFile(filename: string): void {
  mkdirSync(dirname(filename), { recursive: true, mode: 0o700 });
  try {
    // never opens an existing file: closing it would release the locks that another connection of this process
    // holds on it (fcntl, POSIX.1)
    closeSync(openSync(filename, "wx", 0o600));
  } catch (error) {
    if (!existsSync(filename)) throw error;
    return;
  }
  giveToFolderOwner(filename, dirname(filename));
}

/** A command run by root must not leave files that the service's user cannot open. */
export function giveToFolderOwner(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(path, uid, gid);
}

/** Syncs a file, or the entries of a folder, to disk. */
export function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
