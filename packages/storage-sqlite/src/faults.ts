/** Primary result codes: the low byte of an extended result code (SQLite, result codes). */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** A problem that the operator can fix. The message is the problem and the advice. Branch on the code. */
export class StorageFault extends Error {
  override readonly name = "StorageFault";
  readonly code: "database_missing" | "folder_in_use" | "folder_not_empty" | "schema_newer" | "schema_older";
  readonly problem: string;
  readonly advice: string;

  constructor(code: StorageFault["code"], problem: string, advice: string) {
    super(`${problem}; ${advice}`);
    this.code = code;
    this.problem = problem;
    this.advice = advice;
  }
}

/** Another process has locked the database. */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_BUSY;
}

/** The disk is full, or the user's disk quota is used up. */
export function isDiskFull(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_FULL || ["ENOSPC", "EDQUOT"].includes(systemCodeOf(error));
}

/** The file is corrupt, or not a database. */
export function isCorrupt(error: unknown): boolean {
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(resultCodeOf(error) ?? 0);
}

/** Returns the code of a failed system call, such as `ENOENT`; an empty string for other errors. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function resultCodeOf(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : null;
}
