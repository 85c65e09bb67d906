import { DEFAULT_WAIT, type SnapParameters } from "@snap/protocol";

/**
 * Whether the request sends `waitUntil` with its default value, and does not tolerate its timeout. A request without
 * `waitUntil` has the same cache key, but a rendering whose wait was capped does not satisfy this one.
 */
export function waitsStrictly(parameters: SnapParameters): boolean {
  return !parameters.pdf && parameters.waitUntil === DEFAULT_WAIT && parameters.onWaitTimeout !== "capture";
}

/** Whether `waitTimeout` also limits `waitUntil` and `waitForSelector`. */
export function limitsEveryWait({ waitTimeout, onWaitTimeout }: SnapParameters): boolean {
  return waitTimeout !== undefined || onWaitTimeout !== undefined;
}
