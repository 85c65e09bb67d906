import { DAY_MS } from "@snap/engine/internals";
import { tryLock } from "@snap/storage-sqlite";
import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const PREFIX = ".snap-backup-";
const NAME = /^\.snap-backup-[A-Za-z\d]{6}$/;
/** Until it is locked, the directory has this prefix. */
const UNLOCKED_PREFIX = ".snap-backup.";
const UNLOCKED_NAME = /^\.snap-backup\.[A-Za-z\d]{6}$/;

/**
 * Runs `work` with a private directory in `parent`, and removes the directory afterwards. Also
 * removes the directories of killed processes: those whose lock is free, and those that never got
 * a lock, once they are a day old.
 */
export async function withWorkDirectory<T>(
  parent: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (NAME.test(name) || (UNLOCKED_NAME.test(name) && (await isDayOld(path)))) await removeIfStale(path);
  }
  const unlockedDirectory = await mkdtemp(join(parent, UNLOCKED_PREFIX));
  const lock = lockDirectory(unlockedDirectory);
  const directory = unlockedDirectory.replace(UNLOCKED_PREFIX, PREFIX);
  try {
    await rename(unlockedDirectory, directory);
    return await work(directory);
  } finally {
    lock?.close();
    // it has its first name if it could not be renamed
    for (const path of [directory, unlockedDirectory]) await rm(path, { recursive: true, force: true });
  }
}

async function isDayOld(path: string): Promise<boolean> {
  // another process might have renamed it
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
  return Date.now() - mtimeMs > DAY_MS;
}

async function removeIfStale(directory: string): Promise<void> {
  const lock = lockDirectory(directory);
  if (lock === null) return;
  lock.close();
  await rm(directory, { recursive: true, force: true });
}

/** Returns a lock that ends with this process, or `null` if another one holds it or the directory cannot be locked. */
function lockDirectory(directory: string): { close(): void } | null {
  try {
    return tryLock(join(directory, "lock"), { use: "exclusive", timeoutMs: 0 });
  } catch {
    return null;
  }
}
