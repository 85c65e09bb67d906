import { EXIT_CODES } from "./errors.ts";

/** A terminal and the package manager in between deliver one and the same Ctrl-C this close together. */
const SAME_KEYSTROKE_MS = 250;

/** Resolves at the first SIGTERM or SIGINT; a SIGINT after that ends the process at once. */
export function awaitStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    const onSignal = (signal: NodeJS.Signals): void => {
      const nowMs = performance.now();
      if (firstAtMs === null) {
        firstAtMs = nowMs;
        resolve(signal);
      } else if (signal === "SIGINT" && nowMs - firstAtMs > SAME_KEYSTROKE_MS) {
        // The browser ends with the pipe that it is driven through.
        process.exit(EXIT_CODES.interrupted);
      }
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}
