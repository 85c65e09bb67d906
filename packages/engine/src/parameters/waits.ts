import type { SnapParameters } from "@snap/protocol";

/** Whether `waitTimeout` also limits `waitUntil` and `waitForSelector`. */
export function limitsEveryWait({ waitTimeout, onWaitTimeout }: SnapParameters): boolean {
  return waitTimeout !== undefined || onWaitTimeout !== undefined;
}
