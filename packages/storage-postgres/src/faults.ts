/**
 * SQLSTATE classes and codes (PostgreSQL documentation, appendix A). 53300 means too many connections, which is temporary.
 */
const LOST_CONNECTION = /^(08...|57P0[1-5]|53300)$/;
const CONFLICT: ReadonlySet<string> = new Set(["40001", "40P01"]);
const UNIQUE_VIOLATION = "23505";

const SYSTEM_ERRORS: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  // the name of a container, while it restarts
  "ENOTFOUND",
]);

/** Messages of pg's errors without a code: for a closed connection, and for timeouts of a new and of a pooled one. */
const PG_MESSAGES =
  /^Connection terminated|^Client has encountered a connection error|^timeout expired$|^timeout exceeded when trying to connect$/;

/**
 * Returns whether the connection was lost, could not be opened or was not free in time. The last statement may or may
 * not have run.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return SYSTEM_ERRORS.has(code) || LOST_CONNECTION.test(code) || PG_MESSAGES.test(error.message);
}

/** Returns whether the server rolled the transaction back because of another one. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.has(codeOf(error));
}

/** Returns whether the row already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
