import type { SnapParameters } from "@snap/protocol";

/**
 * An explicit `waitUntil` is strict unless the request accepts its timeout: a rendering whose wait was capped does not
 * satisfy it.
 */
export function waitsStrictly(parameters: SnapParameters): boolean {
  return !parameters.pdf && parameters.waitUntil !== undefined && parameters.onWaitTimeout !== "capture";
}

/** Whether `waitTimeout` also limits `waitUntil` and `waitForSelector`. */
export function limitsEveryWait({ waitTimeout, onWaitTimeout }: SnapParameters): boolean {
  return waitTimeout !== undefined || onWaitTimeout !== undefined;
}
