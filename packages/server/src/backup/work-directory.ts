import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const PREFIX = ".snap-backup-";
const NAME = /^\.snap-backup-[A-Za-z\d]{6}$/;
/** Name of a directory that has no lock yet. */
const UNLOCKED_PREFIX = ".snap-backup.";

/**
 * Runs `work` with a private directory in `parent`, and removes the directory afterwards. Also removes the directories
 * that killed processes left behind, which nothing locks.
 */
export async function withWorkDirectory<T>(
  parent: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  for (const name of await readdir(parent)) if (NAME.test(name)) await removeIfLeft(join(parent, name));
  const unlocked = await mkdtemp(join(parent, UNLOCKED_PREFIX));
  const lock = tryLock(unlocked);
  const directory = unlocked.replace(UNLOCKED_PREFIX, PREFIX);
  try {
    await rename(unlocked, directory);
    return await work(directory);
  } finally {
    lock?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function removeIfLeft(directory: string): Promise<void> {
  const lock = tryLock(directory);
  if (lock === null) return;
  lock.close();
  await rm(directory, { recursive: true, force: true });
}

/**
 * Returns the connection that locks a directory, or `null` if another process does. The system releases the lock when the
 * process dies. Unlike a process id, the lock also works between containers on one machine (SQLite documentation, File locking
 * in version 3).
 */
function tryLock(directory: string): DatabaseSync | null {
  let connection: DatabaseSync | null = null;
  try {
    connection = new DatabaseSync(join(directory, "lock"));
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return connection;
  } catch {
    connection?.close();
    return null;
  }
}
