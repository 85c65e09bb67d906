import { expect } from "vitest";
import { isSnapError, type SnapError } from "../src/index.ts";

/** Returns the SnapError that a call rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<SnapError> {
  const failure: unknown = await call.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );
  return isSnapError(failure) ? failure : expect.fail(`not a SnapError: ${String(failure)}`);
}
