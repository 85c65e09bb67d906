/** A scrape must finish within a second, even while PostgreSQL or Redis hangs. */
const LIMIT_MS = 700;

/**
 * Returns a function that calls `read`, and returns `null` if that fails or takes too long. A call that is still running
 * is joined, so scrapes of a hanging storage do not use up its connections.
 */
export function boundedRead<T>(): (read: () => Promise<T>) => Promise<T | null> {
  let running: Promise<T | null> | null = null;
  return async (read) => {
    running ??= read()
      .catch(() => null)
      .finally(() => {
        running = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), LIMIT_MS);
    });
    return Promise.race([running, late]).finally(() => clearTimeout(timer));
  };
}
