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

/** Limit for the lines that wait for a reader; more are dropped. */
const WAITING_MAX_BYTES = 1_048_576;
/** Interval between tries to write after a failure, such as a full disk. */
const RETRY_MS = 1_000;

/** How long, at most, the process waits on exit for a reader to read the last lines. */
const LAST_LINES_MS = 1_000;

/** Codes of a closed pipe or terminal, which nobody will read again. */
const CLOSED_PIPE_CODES: ReadonlySet<unknown> = new Set(["EPIPE", "EIO"]);

/**
 * A log that cannot be written must not end the process while renders are running, so lines are dropped: until a write
 * succeeds, or forever if the reader is gone. On exit, pino would retry forever if a write has failed or the reader is
 * stuck.
 */
function openStandardOutput(): DestinationStream {
  const open = (): DestinationStream => {
    let flushEndsAt = Infinity;
    const retryEAGAIN = (): boolean => performance.now() < flushEndsAt;
    const stream = pino.destination({ dest: 1, sync: false, maxLength: WAITING_MAX_BYTES, retryEAGAIN });
    const flushSync = stream.flushSync.bind(stream);
    stream.flushSync = () => {
      flushEndsAt = performance.now() + LAST_LINES_MS;
      try {
        flushSync();
      } catch {
        // the process is ending, and its exit code must not change
      }
    };
    stream.on("error", (error: NodeJS.ErrnoException) => {
      stream.flushSync = () => {};
      stream.end = () => {};
      // pino reports a stream's first error twice
      if (current !== stream) return;
      current = { write: () => {} };
      if (!CLOSED_PIPE_CODES.has(error.code)) setTimeout(() => (current = open()), RETRY_MS).unref();
    });
    return stream;
  };
  let current = open();
  return { write: (line) => current.write(line) };
}
