import { ERROR_CODES, toQuery, type ValidationFailure, type RenderInput } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { checkParameters } from "../parameters/check-parameters.ts";

/**
 * Checks the parameters and writes them as a query.
 *
 * @throws SnapError for invalid parameters, the same that the service would return.
 */
export function writeQuery(parameters: RenderInput): URLSearchParams {
  if (Object(parameters) !== parameters) throw new TypeError("parameters must be an object such as { url }");
  const failure = checkParameters(parameters);
  if (failure !== null) throw invalidParameters(failure);
  return toQuery(parameters);
}

/** The error of a local check: it has no request id. */
export function invalidParameters({ code, message, errors }: ValidationFailure): SnapError {
  return new SnapError(code, message, { status: ERROR_CODES[code].status, errors });
}
