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
import { isBusy, isCorrupt, StorageFault } from "../faults.ts";
import { lockFolder } from "../folder-lock.ts";
import { newestSealedSecret, versionOf } from "../migrate.ts";
import { prepare } from "../prepare.ts";
import { giveToFolderOwner, sync } from "../private-files.ts";
import { createAuditStore } from "../stores/audit.ts";

/** How long to wait for a running command to finish. */
const BUSY_TIMEOUT_MS = 2_000;
const STAGING_PREFIX = ".restore-";
/** SQLite would replay a leftover WAL into whatever database is next to it. */
const WAL_FILES = ["snap.db-wal", "snap.db-shm"] as const;
const FOLDERS = { renderings: "snap.db-renderings", documents: "snap.db-documents" } as const;

/** What a database contains, read without changing it. */
export interface DatabaseFacts {
  readonly schemaVersion: number;
  /** The newest token's signing secret, as the engine encrypted it; `null` if there are no tokens. */
  readonly newestSealedSecret: string | null;
}

/** A restore in progress. Before `commit`, it changes only a separate folder. */
export interface SqliteRestore {
  /** Where to put the backup's database. */
  readonly filename: string;
  /** Existing folders for the files of the cached renderings and of the documents. */
  readonly folders: Readonly<Record<keyof typeof FOLDERS, string>>;
  /**
   * Reads the backup's database.
   *
   * @throws Error if it is not a database, or was written by another program or a newer release.
   */
  inspect(): DatabaseFacts;
  /** Adds an entry to the audit log in the backup; does nothing if the backup is from a release without an audit log. */
  appendToAuditLog(entry: AuditEntry): Promise<void>;
  /**
   * Replaces the storage. Returns the folder that contains the previous one, or `null` if there was
   * none.
   *
   * @throws StorageFault `folder_in_use` if a service from an older release, which does not lock the
   * folder, has the database open.
   */
  commit(now: number): string | null;
  /** Removes uncommitted files, and unlocks the folder. */
  close(): void;
}

/**
 * Starts a restore that replaces a directory's embedded storage with a backup. The directory stays locked
 * until the restore is closed. The swap is a single rename: if the process is killed before it, the previous
 * storage is still in place; after it, the new one is.
 *
 * @throws StorageFault `folder_in_use` while anything is using the directory; `folder_not_empty` if it
 * already contains a database and `replaces` is false.
 */
export function openSqliteRestore({
  directory,
  replaces,
}: {
  /** Directory of the file `snap.db`; created if missing. */
  readonly directory: string;
  /** Whether to move an existing database aside. */
  readonly replaces: boolean;
}): SqliteRestore {
  const filename = join(directory, "snap.db");
  const lock = lockFolder(filename, { use: "exclusive", timeoutMs: BUSY_TIMEOUT_MS });
  try {
    const present = ["snap.db", ...WAL_FILES].filter((name) => existsSync(join(directory, name)));
    if (present.length > 0 && !replaces)
      throw new StorageFault(
        "folder_not_empty",
        `${directory} already contains a database`,
        "pass --yes to move it aside, into a folder next to it, and restore the backup in its place",
      );
    // left behind by killed restores: the lock proves that no restore is running
    for (const name of readdirSync(directory))
      if (name.startsWith(STAGING_PREFIX)) rmSync(join(directory, name), { recursive: true });
    const staging = mkdtempSync(join(directory, STAGING_PREFIX));
    const folders = {
      renderings: join(staging, FOLDERS.renderings),
      documents: join(staging, FOLDERS.documents),
    };
    for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
    return {
      filename: join(staging, "snap.db"),
      folders,
      inspect: () => inspect(join(staging, "snap.db")),
      appendToAuditLog: (entry) => appendToAuditLog(join(staging, "snap.db"), entry),
      commit: (now) => replace(directory, { staging, now }),
      close() {
        rmSync(staging, { recursive: true, force: true });
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

async function appendToAuditLog(filename: string, entry: AuditEntry): Promise<void> {
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
  { staging, now }: { readonly staging: string; readonly now: number },
): string | null {
  checkpointLog(join(directory, "snap.db"));
  const previous = setAside(directory, now);
  const restored = join(staging, "snap.db");
  try {
    moveFolders(staging, directory);
    giveToFolderOwner(restored, directory);
    sync(restored);
  } catch (error) {
    if (previous !== null) rmSync(previous, { recursive: true });
    throw error;
  }
  // left over if the database is missing, or too corrupt to open
  for (const name of WAL_FILES) rmSync(join(directory, name), { force: true });
  renameSync(restored, join(directory, "snap.db"));
  sync(directory);
  return previous;
}

/** Checkpoints the write-ahead log, so none is left to be replayed into the restored database. */
function checkpointLog(filename: string): void {
  if (!existsSync(filename)) return;
  const database = new DatabaseSync(filename, { timeout: BUSY_TIMEOUT_MS });
  try {
    // a service from an older release does not lock the folder
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (isBusy(error))
      throw new StorageFault("folder_in_use", `${filename} is in use`, "stop every process that uses it");
    if (!isCorrupt(error)) throw error;
  } finally {
    database.close();
  }
}

/**
 * Hard-links the storage's files into a new folder, and returns its path; `null` if there is neither a
 * database nor a write-ahead log.
 */
function setAside(directory: string, now: number): string | null {
  const names = ["snap.db", ...WAL_FILES].filter((name) => existsSync(join(directory, name)));
  if (names.length === 0) return null;
  const previousFolder = join(
    directory,
    `before-restore-${new Date(now).toISOString().replaceAll(":", "-")}`,
  );
  mkdirSync(previousFolder, { mode: 0o700 });
  try {
    for (const name of names) linkSync(join(directory, name), join(previousFolder, name));
    for (const folder of Object.values(FOLDERS)) {
      const [from, to] = [join(directory, folder), join(previousFolder, folder)];
      forEachFile(from, { to, ownerOf: directory }, (name) => linkSync(join(from, name), join(to, name)));
    }
    giveToFolderOwner(previousFolder, directory);
    sync(previousFolder);
    return previousFolder;
  } catch (error) {
    // its links would keep occupying the space of files that are deleted later
    rmSync(previousFolder, { recursive: true });
    throw error;
  }
}

/**
 * Moves the restored files into the storage's folders. An existing file with the same name is the same one, but may be
 * damaged: the restored one replaces it, and the folder of the previous storage still has it.
 */
function moveFolders(staging: string, directory: string): void {
  for (const folder of Object.values(FOLDERS)) {
    const [from, to] = [join(staging, folder), join(directory, folder)];
    forEachFile(from, { to, ownerOf: directory }, (name) => renameSync(join(from, name), join(to, name)));
    if (existsSync(to)) sync(to);
  }
}

/**
 * Calls `work` for each file in `from`, after giving it to the owner of the folder `ownerOf`. If there
 * are any, first creates the folder `to`, with the same owner.
 */
function forEachFile(
  from: string,
  { to, ownerOf }: { readonly to: string; readonly ownerOf: string },
  work: (name: string) => void,
): void {
  const names = existsSync(from) ? readdirSync(from) : [];
  if (names.length === 0) return;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  giveToFolderOwner(to, ownerOf);
  for (const name of names) {
    if (!lstatSync(join(from, name)).isFile()) continue;
    giveToFolderOwner(join(from, name), ownerOf);
    work(name);
  }
}
