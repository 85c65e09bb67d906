import { messageOf } from "@snap/engine/internals";
import { lstatSync, statfsSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { quoteIfNeeded } from "./quote.ts";
import { FINDING_CHECKS, OperatorError, type FindingCode } from "./operator-error.ts";

/** Primary result codes of SQLite: the low byte of an extended one. */
const SQLITE = { BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 } as const;

/** SQLite's first allocation for a database that several processes use. */
const SHARED_MEMORY_BYTES = 32 * 1024;

/** Adds advice to an error about the data folder, and names the folder and its variable. */
export function explainDataDirError(error: unknown, directory: string): OperatorError {
  if (error instanceof OperatorError) return error;
  const operatorError = asOperatorError(error);
  if (operatorError !== null) return operatorError;
  const { errcode = 0 } = error as { errcode?: number };
  const result = errcode & 0xff;
  const message = `SNAP_DATA_DIR: cannot use ${directory}: ${messageOf(error)}`;
  // SQLite shares memory between processes through a file, and reports another error if that file cannot grow
  if (isDiskFullError(error) || (result === SQLITE.IOERR && isDiskFull(directory)))
    return new OperatorError("disk_full", message, "free space on that disk, and try again", {
      cause: error,
    });
  if (result === SQLITE.CORRUPT || result === SQLITE.NOTADB)
    return new OperatorError(
      "database_damaged",
      message,
      "stop the service, and restore a backup with `snap-server restore FILE --yes`, which moves the corrupt files aside",
      { cause: error },
    );
  if (result === SQLITE.BUSY)
    return new OperatorError(
      "folder_in_use",
      message,
      "another process is using it; wait until that process has exited",
      { cause: error },
    );
  if (isPermissionError(error) || result === SQLITE.READONLY || result === SQLITE.CANTOPEN)
    return new OperatorError("folder_not_writable", message, permissionAdvice(directory), { cause: error });
  return new OperatorError("storage_fails", message, `check ${directory} and the disk that it is on`, {
    cause: error,
  });
}

function isDiskFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < SHARED_MEMORY_BYTES;
}

/** The system denies this user access to the file, or the file system is read-only. */
export function isPermissionError(error: unknown): boolean {
  const { code = "" } = error as { code?: string };
  return ["EACCES", "EPERM", "EROFS"].includes(code);
}

/** The disk is full, or the user's quota is used up. */
export function isDiskFullError(error: unknown): boolean {
  const { code = "", errcode = 0 } = error as { code?: string; errcode?: number };
  return ["ENOSPC", "EDQUOT"].includes(code) || (errcode & 0xff) === SQLITE.FULL;
}

/** Returns the error for a command that fills a disk. */
export function diskFullError(
  folder: string,
  { advice, cause }: { readonly advice: string; readonly cause: unknown },
): OperatorError {
  return new OperatorError("disk_full", `the disk that holds ${folder} is full`, advice, { cause });
}

/** Converts a storage's error, which has the fields of an OperatorError; returns `null` for any other error. */
export function asOperatorError(error: unknown): OperatorError | null {
  if (!(error instanceof Error) || !("problem" in error) || !("advice" in error) || !("code" in error))
    return null;
  const code = String(error.code);
  if (!(code in FINDING_CHECKS)) return null;
  return new OperatorError(code as FindingCode, String(error.problem), String(error.advice), {
    cause: error,
  });
}

/** Does not suggest another folder: the service would start there with an empty database. */
export function permissionAdvice(directory: string): string {
  const user = process.getuid?.() ?? 0;
  const owner = ownerOf(directory);
  if (owner === null)
    return `create the folder for this user: install -d -m 700 -o ${user} ${quoteIfNeeded(directory)}; if the service has run before, correct SNAP_DATA_DIR instead`;
  return owner === user
    ? `chmod -R u+rwX ${quoteIfNeeded(directory)}; if its file system is mounted read-only, mount it writable`
    : `run this as the owner of the folder, user ${owner}, or give the folder to this user: chown -R ${user} ${quoteIfNeeded(directory)}`;
}

/** Returns the user that owns the folder; `null` if it does not exist. */
function ownerOf(directory: string): number | null {
  for (let path = directory; ; path = dirname(path)) {
    const stats = lookUp(path);
    if (stats === "hidden") continue;
    if (stats === null) return null;
    return stats.uid;
  }
}

/** `hidden`: it is in a folder that this user cannot enter, so the owner of that folder counts. */
function lookUp(path: string): Stats | "hidden" | null {
  try {
    return lstatSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "hidden" : null;
  }
}
