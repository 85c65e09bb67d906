import { EXIT_CODES } from "./errors.ts";

/** A terminal and a package manager may both deliver the same Ctrl-C, within this time. */
const SAME_KEYSTROKE_MS = 250;

export interface StopSignals {
  /** Resolves on the next signal, instead of ending the process; a later SIGINT ends it immediately. */
  awaitSignal(): Promise<NodeJS.Signals>;
}

/**
 * Ends the process on SIGTERM, SIGINT and SIGHUP until `awaitSignal` is called: a service that is
 * still starting has nothing to finish.
 */
export function handleSignals(): StopSignals {
  let firstAtMs: number | null = null;
  let stop: ((signal: NodeJS.Signals) => void) | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    // The browser exits when its DevTools pipe closes.
    if (stop === null) process.exit(signal === "SIGINT" ? EXIT_CODES.interrupted : EXIT_CODES.ok);
    if (firstAtMs === null) {
      firstAtMs = nowMs;
      stop(signal);
    } else if (signal === "SIGINT" && nowMs - firstAtMs > SAME_KEYSTROKE_MS)
      process.exit(EXIT_CODES.interrupted);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  return { awaitSignal: () => new Promise((resolve) => (stop = resolve)) };
}
