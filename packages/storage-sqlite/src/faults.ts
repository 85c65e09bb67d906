/** Primary result codes: the low byte of an extended result code (SQLite, result codes). */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Another process has locked the database. */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_BUSY;
}

/** The disk is full, or the disk quota of the user is used up. */
export function isDiskFull(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_FULL || ["ENOSPC", "EDQUOT"].includes(systemCodeOf(error));
}

/** Returns the code of a failed system call, such as `ENOENT`; an empty text for other errors. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function resultCodeOf(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : null;
}
