import { mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "./operator-error.ts";

/** Files that a used storage leaves next to its database. */
const LEFTOVER_FILE = /^(snap\.db-wal|snap\.db\.schema-\d+|before-restore-.+)$/;

/** `present`: it contains a database. `lost`: it has been used, but its database is missing or empty. `new`: neither. */
export type FolderState = "present" | "lost" | "new";

/** Determines whether a data folder contains a database, or once did. Changes nothing. */
export async function inspectDataFolder(dataDir: string): Promise<FolderState> {
  const size = await sizeOf(join(dataDir, "snap.db"));
  // a small database may still be entirely in its write-ahead log
  if (size !== null && size + ((await sizeOf(join(dataDir, "snap.db-wal"))) ?? 0) > 0) return "present";
  const names = await namesIn(dataDir);
  const renderings = await namesIn(join(dataDir, "snap.db-renderings"));
  const documents = await namesIn(join(dataDir, "snap.db-documents"));
  const isUsed = renderings.length + documents.length > 0 || names.some((name) => LEFTOVER_FILE.test(name));
  return isUsed ? "lost" : "new";
}

/** Returns the error for a folder whose database is lost: a new, empty one would look as if nothing had happened. */
export function lostDatabaseError(dataDir: string): OperatorError {
  return new OperatorError(
    "database_missing",
    `${dataDir} has been used, but its snap.db is missing or empty`,
    "restore the latest backup: `snap-server restore FILE --yes`; for a new, empty service, set SNAP_DATA_DIR to another folder",
  );
}

/**
 * Requires a database in a data folder.
 *
 * @param options.createsDatabase - Whether the caller creates one in a new folder, which is then accepted.
 * @throws OperatorError `database_missing`.
 */
export async function requireDatabase(
  dataDir: string,
  { createsDatabase }: { readonly createsDatabase: boolean },
): Promise<void> {
  const state = await inspectDataFolder(dataDir);
  if (state === "lost") throw lostDatabaseError(dataDir);
  if (state === "new" && !createsDatabase)
    throw new OperatorError(
      "database_missing",
      `${dataDir} does not contain snap.db`,
      "set SNAP_DATA_DIR to the service's folder; a new one is created by `snap-server serve` and `snap-server accounts create`",
    );
}

/** Creates a folder and its parents. Recursive `mkdir` never returns where no folder can be created, as in /proc. */
export async function makeFolder(path: string): Promise<void> {
  if (await tryMakeFolder(path)) return;
  await makeFolder(dirname(path));
  if (!(await tryMakeFolder(path))) throw new Error(`cannot create ${path}`);
}

/** Returns `false` if the folder above it is missing. */
async function tryMakeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return true;
    if (code === "ENOENT") return false;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return ifExists(async () => (await stat(path)).size, null);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return ifExists(() => readdir(folder), []);
}

async function ifExists<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
