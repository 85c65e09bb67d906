import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, StorageFault } from "./faults.ts";
import { createPrivateFile, giveToFolderOwner } from "./private-files.ts";

/**
 * How a process uses a data folder: `shared`, together with any number of others; `service`, like `shared`, but as the only
 * service; or `exclusive`, alone.
 */
export type FolderUse = "shared" | "service" | "exclusive";

export interface FolderLock {
  release(): void;
}

/**
 * SQLite's own locks on an empty file. The system releases them whenever the process dies, and they also work between
 * containers on one machine (SQLite documentation, File locking in version 3).
 */
const STATEMENTS = {
  shared: "BEGIN; SELECT 1 FROM sqlite_schema",
  service: "BEGIN IMMEDIATE",
  exclusive: "BEGIN EXCLUSIVE",
} as const satisfies Record<FolderUse, string>;

/** What the messages call a process that locks others out. */
const HOLDER_NAMES = { service: "the service", exclusive: "a restore" } as const;

interface Holder {
  readonly use: keyof typeof HOLDER_NAMES;
  readonly pid: number;
  readonly host: string;
}

/**
 * Locks the folder of the database `filename` until the lock is released or the process ends. The file `snap.db.lock` stays.
 *
 * @throws StorageFault `folder_in_use` after `timeoutMs`; it names the process if a service or a restore is
 * using the folder.
 */
export function lockFolder(
  filename: string,
  { use, timeoutMs }: { readonly use: FolderUse; readonly timeoutMs: number },
): FolderLock {
  const lock = tryLock(`${filename}.lock`, { use, timeoutMs });
  if (lock === null) throw inUseFault(filename, use);
  if (use !== "shared") writeHolder(filename, { use, pid: process.pid, host: hostname() });
  return {
    release() {
      if (!lock.isOpen) return;
      if (use !== "shared") rmSync(holderPath(filename), { force: true });
      lock.close();
    },
  };
}

/**
 * Returns the process that is running the service on the folder of the database `filename`, or restoring the
 * folder; `unknown` if it could not record its id, for example on a full disk; `null` if there is none.
 */
export function findService(
  filename: string,
): { readonly pid: number; readonly host: string } | "unknown" | null {
  const lock = tryLock(`${filename}.lock`, { use: "service", timeoutMs: 0 });
  if (lock === null) return readHolder(filename) ?? "unknown";
  lock.close();
  return null;
}

/** Locks a file (created if missing). Returns the connection that holds the lock, or `null` if another process does. */
export function tryLock(
  file: string,
  { use, timeoutMs }: { readonly use: FolderUse; readonly timeoutMs: number },
): DatabaseSync | null {
  createPrivateFile(file);
  const connection = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    // writes nothing: a full disk must not keep the service from starting
    connection.exec("PRAGMA journal_mode = MEMORY");
    connection.exec(STATEMENTS[use]);
    return connection;
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

function inUseFault(filename: string, use: FolderUse): StorageFault {
  const folder = dirname(filename);
  const lock = tryLock(`${filename}.lock`, { use: "service", timeoutMs: 0 });
  lock?.close();
  if (lock !== null)
    return new StorageFault(
      "folder_in_use",
      `${folder} is in use by another command`,
      "wait until it has exited",
    );
  const holder = readHolder(filename);
  const name = holder === null ? "another process" : describe(holder);
  const advice =
    use === "shared" || holder?.use === "exclusive"
      ? "wait until it has exited"
      : "stop that process first; a data folder has one service at a time";
  return new StorageFault("folder_in_use", `${folder} is in use by ${name}`, advice);
}

function describe({ use, pid, host }: Holder): string {
  return `${HOLDER_NAMES[use]}, process ${pid} on ${host}`;
}

function holderPath(filename: string): string {
  return `${filename}.holder`;
}

/** The lock does not depend on this file: on a full disk, the error just does not name the process. */
function writeHolder(filename: string, holder: Holder): void {
  try {
    writeFileSync(holderPath(filename), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    giveToFolderOwner(holderPath(filename), dirname(filename));
  } catch {
    rmSync(holderPath(filename), { force: true });
  }
}

function readHolder(filename: string): Holder | null {
  try {
    return JSON.parse(readFileSync(holderPath(filename), "utf8")) as Holder;
  } catch {
    return null;
  }
}
