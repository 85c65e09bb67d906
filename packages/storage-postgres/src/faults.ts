/**
 * SQLSTATE classes and codes (PostgreSQL documentation, appendix A). 53300 is a server with as many
 * connections as it takes: others end theirs soon.
 */
const LOST_CONNECTION = /^(08...|57P0[1-5]|53300)$/;
const CONFLICT: ReadonlySet<string> = new Set(["40001", "40P01"]);
const UNIQUE_VIOLATION = "23505";

const SYSTEM_FAULTS: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);

/** What pg itself says of a socket that closed; it has no codes for it. */
const SAID_BY_PG = /^Connection terminated|^Client has encountered a connection error|^timeout expired$/;

/** The server went away, or isn't there yet: whether the last statement was run is not known. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return SYSTEM_FAULTS.has(code) || LOST_CONNECTION.test(code) || SAID_BY_PG.test(error.message);
}

/** The server took the transaction back because of another one. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.has(codeOf(error));
}

/** Such a row is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
