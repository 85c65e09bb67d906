import type { AuditEntry } from "@snap/engine/ports";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, isCorrupt, StorageFault, systemCodeOf } from "../faults.ts";
import { lockFolder } from "../folder-lock.ts";
import { newestSealedSecret, versionOf } from "../migrate.ts";
import { prepare } from "../prepare.ts";
import { giveToFolderOwner, sync } from "../private-files.ts";
import { createAuditStore } from "../stores/audit.ts";

/** Time for a running command to end. */
const BUSY_TIMEOUT_MS = 2_000;
const STAGE_PREFIX = ".restore-";
/** SQLite would apply a log to whatever database is next to it. */
const LOGS = ["snap.db-wal", "snap.db-shm"] as const;
const FOLDERS = { renderings: "snap.db-renderings", documents: "snap.db-documents" } as const;

/** What a database contains, read without changing it. */
export interface DatabaseFacts {
  readonly schemaVersion: number;
  /** The newest signing secret, as the engine encrypted it; `null` without tokens. */
  readonly newestSealedSecret: string | null;
}

/** A restore in progress: nothing but a folder of its own is changed before `commit`. */
export interface SqliteRestore {
  /** Where to put the database of the backup. */
  readonly filename: string;
  /** Existing folders for the files of the cached renderings and of the documents. */
  readonly folders: Readonly<Record<keyof typeof FOLDERS, string>>;
  /**
   * Reads the database of the backup.
   *
   * @throws Error if it is not a database, or of another program or a newer release.
   */
  inspect(): DatabaseFacts;
  /** Adds an entry to the audit in the backup; does nothing if the backup is of a release without an audit. */
  appendToAudit(entry: AuditEntry): Promise<void>;
  /** Replaces the storage. Returns the folder that contains the previous one, or `null` if there was none. */
  commit(now: number): string | null;
  /** Removes what was not committed, and unlocks the folder. */
  close(): void;
}

/**
 * Starts to replace the embedded storage of a directory by that of a backup, and locks the directory until it is closed.
 * The replacement is one rename: a process that is killed leaves the previous storage before it, and the new one after it.
 *
 * @throws StorageFault `folder_in_use` while anything uses the directory; `folder_not_empty` if it contains a storage that
 * must not be replaced.
 */
export function openSqliteRestore({
  directory,
  replaces,
}: {
  /** Directory of the file `snap.db`; created if missing. */
  readonly directory: string;
  /** Whether an existing storage is moved aside. */
  readonly replaces: boolean;
}): SqliteRestore {
  const filename = join(directory, "snap.db");
  const lock = lockFolder(filename, { use: "exclusive", timeoutMs: BUSY_TIMEOUT_MS });
  try {
    const present = ["snap.db", ...LOGS].filter((name) => existsSync(join(directory, name)));
    if (present.length > 0 && !replaces)
      throw new StorageFault(
        "folder_not_empty",
        `${directory} already contains a database`,
        "pass --yes to move it aside, into a folder next to it, and restore the backup in its place",
      );
    // of restores that were killed: the lock says that none is running
    for (const name of readdirSync(directory))
      if (name.startsWith(STAGE_PREFIX)) rmSync(join(directory, name), { recursive: true });
    const stage = mkdtempSync(join(directory, STAGE_PREFIX));
    const folders = {
      renderings: join(stage, FOLDERS.renderings),
      documents: join(stage, FOLDERS.documents),
    };
    for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
    return {
      filename: join(stage, "snap.db"),
      folders,
      inspect: () => inspect(join(stage, "snap.db")),
      appendToAudit: (entry) => appendToAudit(join(stage, "snap.db"), entry),
      commit: (now) => replace(directory, { stage, now }),
      close() {
        rmSync(stage, { recursive: true, force: true });
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function inspect(filename: string): DatabaseFacts {
  const database = new DatabaseSync(filename, { readOnly: true });
  try {
    return {
      schemaVersion: versionOf(database, filename),
      newestSealedSecret: newestSealedSecret(database),
    };
  } finally {
    database.close();
  }
}

async function appendToAudit(filename: string, entry: AuditEntry): Promise<void> {
  const database = new DatabaseSync(filename);
  try {
    const table = prepare(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'audit'");
    if (table.get() !== undefined) await createAuditStore(database).append(entry);
  } finally {
    database.close();
  }
}

function replace(
  directory: string,
  { stage, now }: { readonly stage: string; readonly now: number },
): string | null {
  emptyLog(join(directory, "snap.db"));
  const previous = setAside(directory, now);
  const restored = join(stage, "snap.db");
  try {
    linkFolders(stage, { to: directory, ownerOf: directory });
    giveToFolderOwner(restored, directory);
    sync(restored);
  } catch (error) {
    if (previous !== null) rmSync(previous, { recursive: true });
    throw error;
  }
  // only a damaged database still has them, and it could not be opened anyway
  for (const name of LOGS) rmSync(join(directory, name), { force: true });
  renameSync(restored, join(directory, "snap.db"));
  sync(directory);
  return previous;
}

/** Moves what the write-ahead log contains into the database, so that no log is left for the new one. */
function emptyLog(filename: string): void {
  if (!existsSync(filename)) return;
  const database = new DatabaseSync(filename, { timeout: BUSY_TIMEOUT_MS });
  try {
    // a service of an older release takes no lock of the folder
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (isBusy(error))
      throw new StorageFault("folder_in_use", `${filename} is in use`, "stop every process that uses it");
    if (!isCorrupt(error)) throw error;
  } finally {
    database.close();
  }
}

/** Gives all files of the storage a second name in another folder, and returns it; `null` if there are none. */
function setAside(directory: string, now: number): string | null {
  const names = ["snap.db", ...LOGS].filter((name) => existsSync(join(directory, name)));
  if (names.length === 0) return null;
  const aside = join(directory, `before-restore-${new Date(now).toISOString().replaceAll(":", "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of names) linkSync(join(directory, name), join(aside, name));
  linkFolders(directory, { to: aside, ownerOf: directory });
  giveToFolderOwner(aside, directory);
  sync(aside);
  return aside;
}

function linkFolders(from: string, { to, ownerOf }: { readonly to: string; readonly ownerOf: string }): void {
  for (const folder of Object.values(FOLDERS))
    linkFiles(join(from, folder), { to: join(to, folder), ownerOf });
}

/**
 * Gives each file in `from` a second name in `to`, and the owner of the folder `ownerOf`. A name that exists is the same
 * file, because a name contains the instant at which it was written.
 */
function linkFiles(from: string, { to, ownerOf }: { readonly to: string; readonly ownerOf: string }): void {
  const names = existsSync(from) ? readdirSync(from) : [];
  if (names.length === 0) return;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  giveToFolderOwner(to, ownerOf);
  for (const name of names) {
    if (!lstatSync(join(from, name)).isFile()) continue;
    giveToFolderOwner(join(from, name), ownerOf);
    try {
      linkSync(join(from, name), join(to, name));
    } catch (error) {
      if (systemCodeOf(error) !== "EEXIST") throw error;
    }
  }
}
