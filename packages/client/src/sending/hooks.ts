/** One attempt to send a request. */
export interface RequestEvent {
  readonly method: string;
  /** Path of the URL, such as `/v1/snap`, without the query. */
  readonly path: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** The start of a response. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  /** Milliseconds from the request to the headers of its response. */
  readonly durationMs: number;
  /** `null` if the header is missing or hidden by the browser. */
  readonly requestId: string | null;
}

/** A failed attempt that will be retried. */
export interface RetryEvent extends RequestEvent {
  /** Code of the failure, such as `connection_failed`. */
  readonly code: string;
  /** HTTP status of the failure; 0 without a response. */
  readonly status: number;
  readonly requestId: string | null;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/**
 * Called with the metadata of each request, never with secrets. A call does not wait for its hooks, and ignores what they
 * throw.
 *
 * @example
 * const durations: number[] = [];
 * const hooks: Hooks = { onResponse: ({ durationMs }) => durations.push(durationMs) };
 */
export interface Hooks {
  /** Called before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => unknown) | undefined;
  /** Called when the headers of a response arrive, whatever its status. */
  readonly onResponse?: ((event: ResponseEvent) => unknown) | undefined;
  /** Called before the wait for a retry. A failure that is not retried is thrown instead. */
  readonly onRetry?: ((event: RetryEvent) => unknown) | undefined;
}

/** Receives a line of text for each event. `console` is one, and so is a logger such as pino's. */
export interface Logger {
  /** Called with each request. */
  debug(message: string): unknown;
  /** Called with each response. */
  info(message: string): unknown;
  /** Called with each failure that is retried. */
  warn(message: string): unknown;
}

/** Hooks that never throw. */
export interface Observer {
  readonly onRequest: (event: RequestEvent) => void;
  readonly onResponse: (event: ResponseEvent) => void;
  readonly onRetry: (event: RetryEvent) => void;
}

export function createObserver(hooks: Hooks = {}, logger?: Logger): Observer {
  const all = logger === undefined ? [hooks] : [hooks, logTo(logger)];
  return {
    onRequest: (event) => all.forEach((each) => callSafely(() => each.onRequest?.(event))),
    onResponse: (event) => all.forEach((each) => callSafely(() => each.onResponse?.(event))),
    onRetry: (event) => all.forEach((each) => callSafely(() => each.onRetry?.(event))),
  };
}

/** Calls a hook, and ignores what it throws or rejects with: an observer must not break what it observes. */
export function callSafely(hook: () => unknown): void {
  (async () => hook())().catch(() => {});
}

function logTo(logger: Logger): Hooks {
  const nameOf = ({ method, path }: RequestEvent): string => `snap: ${method} ${path}`;
  return {
    onRequest: (event) => logger.debug(`${nameOf(event)}, attempt ${event.attempt}`),
    onResponse: (event) =>
      logger.info(
        `${nameOf(event)}: ${event.status} in ${Math.round(event.durationMs)} ms, request ${event.requestId ?? "unknown"}`,
      ),
    onRetry: (event) =>
      logger.warn(
        `${nameOf(event)}: ${event.code}, retry ${event.attempt} in ${Math.round(event.delayMs)} ms`,
      ),
  };
}
