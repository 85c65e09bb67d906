import { checkSignable } from "@snap/protocol";
import { SnapError } from "../errors.ts";

/** @throws SnapError `validation_failed` if one of the parameters is not allowed in a signed URL. */
export function requireSignable(parameters: object): void {
  const failure = checkSignable(parameters);
  if (failure !== null) throw new SnapError(failure.code, failure.message, { errors: failure.errors });
}
