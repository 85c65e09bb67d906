import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/**
 * Runs `work` with a private directory in `parent`, and removes the directory afterwards. Also removes the directories
 * that killed processes on this machine left behind.
 */
export async function withWorkDirectory<T>(
  parent: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const prefix = `.snap-backup-${hostname()}-`;
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : NaN;
    if (Number.isInteger(pid) && !isAlive(pid))
      await rm(join(parent, name), { recursive: true, force: true });
  }
  const directory = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
