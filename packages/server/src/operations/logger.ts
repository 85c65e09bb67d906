import { pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";

/**
 * Creates a logger that writes one JSON object per line, with `level` as a word and `time` in ISO 8601.
 *
 * @param level - `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.
 * @param destination - Where the lines go; standard output by default.
 * @example
 * const logger = createLogger("info");
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    // The log collector adds process and host.
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
