import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, StorageFault } from "./faults.ts";
import { createPrivately, giveToFolderOwner } from "./private-files.ts";

/**
 * How a process uses a data folder: `shared`, as any number of others do at the same time; `service`, as at most one does
 * beside those; or `exclusive`, alone.
 */
export type FolderUse = "shared" | "service" | "exclusive";

export interface FolderLock {
  release(): void;
}

/**
 * SQLite's own locks on an empty file: the system releases them when the process dies, however it dies, and they also hold
 * between containers on one machine (SQLite documentation, File locking in version 3).
 */
const STATEMENTS = {
  shared: "BEGIN; SELECT 1 FROM sqlite_schema",
  service: "BEGIN IMMEDIATE",
  exclusive: "BEGIN EXCLUSIVE",
} as const satisfies Record<FolderUse, string>;

/** Names of a process that keeps others out. */
const HOLDERS = { service: "the service", exclusive: "a restore" } as const;

interface Holder {
  readonly use: keyof typeof HOLDERS;
  readonly pid: number;
  readonly host: string;
}

/**
 * Locks the folder of the database `filename` until the lock is released or the process ends. The file `snap.db.lock` stays.
 *
 * @throws StorageFault `folder_in_use`, which names the process that uses the folder, after `timeoutMs`.
 */
export function lockFolder(
  filename: string,
  { use, timeoutMs }: { readonly use: FolderUse; readonly timeoutMs: number },
): FolderLock {
  const held = tryLock(`${filename}.lock`, { use, timeoutMs });
  if (held === null) throw inUse(filename, use);
  if (use !== "shared") writeHolder(filename, { use, pid: process.pid, host: hostname() });
  return {
    release() {
      if (!held.isOpen) return;
      if (use !== "shared") rmSync(holderPath(filename), { force: true });
      held.close();
    },
  };
}

/** Returns the process that runs the service on the folder of the database `filename`; `null` if there is none. */
export function findService(filename: string): { readonly pid: number; readonly host: string } | null {
  const held = tryLock(`${filename}.lock`, { use: "service", timeoutMs: 0 });
  if (held === null) return readHolder(filename);
  held.close();
  return null;
}

/** Returns the connection that holds the lock, or `null` if another process does. */
function tryLock(
  file: string,
  { use, timeoutMs }: { readonly use: FolderUse; readonly timeoutMs: number },
): DatabaseSync | null {
  createPrivately(file);
  const connection = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    // nothing is ever written: a full disk must not keep the service from starting
    connection.exec("PRAGMA journal_mode = MEMORY");
    connection.exec(STATEMENTS[use]);
    return connection;
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

function inUse(filename: string, wanted: FolderUse): StorageFault {
  const folder = dirname(filename);
  const held = tryLock(`${filename}.lock`, { use: "service", timeoutMs: 0 });
  held?.close();
  if (held !== null)
    return new StorageFault(
      "folder_in_use",
      `${folder} is in use by another command`,
      "wait until it has ended",
    );
  const holder = readHolder(filename);
  const name = holder === null ? "another process" : describe(holder);
  const advice =
    wanted === "shared"
      ? "wait until it has ended"
      : "stop that process first; a data folder has one service at a time";
  return new StorageFault("folder_in_use", `${folder} is in use by ${name}`, advice);
}

function describe({ use, pid, host }: Holder): string {
  return `${HOLDERS[use]}, process ${pid} on ${host}`;
}

function holderPath(filename: string): string {
  return `${filename}.holder`;
}

/** The lock decides, not this file: on a full disk, the message just names no process. */
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
