import { pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";

/**
 * A logger that writes one JSON object a line: `level` as a word, `time` in ISO 8601.
 *
 * @param level `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.
 * @param destination Where the lines go; standard output unless given.
 * @example
 * const logger = createLogger("info");
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    // Process and host are the log collector's business.
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
