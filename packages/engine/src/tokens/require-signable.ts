import { unsignableIn } from "@snap/protocol";
import { SnapError } from "../errors.ts";

/** @throws SnapError `validation_failed` if one of the parameters is not allowed in a signed URL. */
export function requireSignable(parameters: object): void {
  const problems = Object.entries(unsignableIn(parameters));
  const [first] = problems;
  if (first === undefined) return;
  const errors = Object.fromEntries(problems.map(([name, message]) => [name, [message]]));
  throw new SnapError("validation_failed", `${first[0]} ${first[1]}.`, { errors });
}
