import { ERROR_CODES, type ValidationFailure } from "@snap/protocol";
import { misconfigured, SnapError } from "../errors.ts";

/** @throws SnapError `misconfigured` for an argument that is not an object: JavaScript callers can pass anything. */
export function requireObject<T>(argument: T): T {
  if (Object(argument) !== argument) throw misconfigured("The first argument must be an object.");
  return argument;
}

/** @throws SnapError for a failed local check, the same as the service would return, without a request id. */
export function throwIfInvalid(failure: ValidationFailure | null): void {
  if (failure === null) return;
  const { code, message, errors } = failure;
  throw new SnapError(code, message, { status: ERROR_CODES[code].status, errors });
}
