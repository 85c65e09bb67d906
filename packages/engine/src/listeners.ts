import type { EngineOptions } from "./engine-options.ts";

export type Listeners = Required<
  Pick<
    EngineOptions,
    | "onQuarantined"
    | "onEvent"
    | "onBackgroundError"
    | "onClockSkew"
    | "onItemFinished"
    | "onItemPostponed"
    | "onDeliveryAttempt"
  >
>;

/**
 * Returns listeners that never throw, because a listener's error must not look like a ledger or render failure.
 * `onBackgroundError` receives the errors of the others; its own become process warnings.
 */
export function guardListeners(options: EngineOptions): Listeners {
  const onBackgroundError = guard(options.onBackgroundError, warn);
  return {
    onQuarantined: guard(options.onQuarantined, onBackgroundError),
    onEvent: guard(options.onEvent, onBackgroundError),
    onBackgroundError,
    onClockSkew: guard(options.onClockSkew, onBackgroundError),
    onItemFinished: guard(options.onItemFinished, onBackgroundError),
    onItemPostponed: guard(options.onItemPostponed, onBackgroundError),
    onDeliveryAttempt: guard(options.onDeliveryAttempt, onBackgroundError),
  };
}

/** Emits a process warning for an error that no caller can handle. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/** Returns a listener whose errors and rejections go to `onError`; unhandled rejections would end the process. */
export function guard<T>(
  listener: ((value: T) => void) | undefined,
  onError: (error: unknown) => void,
): (value: T) => void {
  const call = async (value: T): Promise<void> => listener?.(value);
  return (value) => void call(value).catch(onError);
}
