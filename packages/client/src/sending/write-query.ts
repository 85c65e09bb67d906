import {
  checkParameters,
  ERROR_CODES,
  toQuery,
  type ValidationFailure,
  type RenderInput,
} from "@snap/protocol";
import { misconfigured, SnapError } from "../errors.ts";

/**
 * Checks the parameters and writes them as a query.
 *
 * @throws SnapError for invalid parameters, the same as the service would return.
 */
export function writeQuery(parameters: RenderInput): URLSearchParams {
  if (Object(parameters) !== parameters) throw misconfigured("parameters must be an object such as { url }");
  throwIfInvalid(checkParameters(parameters));
  return toQuery(parameters);
}

/** @throws SnapError for a failed local check. It has no request id. */
export function throwIfInvalid(failure: ValidationFailure | null): void {
  if (failure === null) return;
  const { code, message, errors } = failure;
  throw new SnapError(code, message, { status: ERROR_CODES[code].status, errors });
}
