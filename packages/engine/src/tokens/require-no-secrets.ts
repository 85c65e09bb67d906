import { secretsIn, SIGNED_SECRET_MESSAGE } from "@snap/protocol";
import { SnapError } from "../errors.ts";

/** @throws SnapError `validation_failed` if a signed URL contains a secret, or would contain one. */
export function requireNoSecrets(parameters: object): void {
  const [first, ...rest] = secretsIn(parameters);
  if (first === undefined) return;
  throw new SnapError("validation_failed", `${first} ${SIGNED_SECRET_MESSAGE}.`, {
    errors: Object.fromEntries([first, ...rest].map((name) => [name, [SIGNED_SECRET_MESSAGE]])),
  });
}
