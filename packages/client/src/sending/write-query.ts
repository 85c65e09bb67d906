import { ERROR_CODES, toQuery, type Refusal, type RenderInput } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { checkParameters } from "../parameters/check-parameters.ts";

/**
 * The query of a rendering.
 *
 * @throws SnapError as the service would answer, when it would refuse the parameters.
 */
export function writeQuery(parameters: RenderInput): URLSearchParams {
  if (Object(parameters) !== parameters) throw new TypeError("parameters must be an object such as { url }");
  const refusal = checkParameters(parameters);
  if (refusal !== null) throw refusedParameters(refusal);
  return toQuery(parameters);
}

/** A refusal that needed no request, so that it has no request id. */
export function refusedParameters({ code, message, errors }: Refusal): SnapError {
  return new SnapError(code, message, { status: ERROR_CODES[code].status, errors });
}
