import { hostname } from "node:os";
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";

/**
 * Creates a logger that writes one JSON object per line, with `level` as a word, `time` in ISO 8601, and `instance`: host
 * name and process id.
 *
 * @param level - `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.
 * @param destination - Where the lines go; standard output by default.
 * @example
 * const logger = createLogger("info");
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { instance: `${hostname()}:${process.pid}` },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? openStandardOutput());
}

/**
 * A closed pipe or terminal must not end the process while renders are running, so its lines are dropped. After `EIO`, pino
 * would retry forever on exit.
 */
function openStandardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: false });
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    stream.write = () => true;
    stream.flushSync = () => {};
    stream.end = () => {};
  });
  return stream;
}
