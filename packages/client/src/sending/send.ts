import { isSnapError, SnapError } from "../errors.ts";
import { DURATION_MS, readInteger, RETRIES } from "../read-options.ts";
import { readText } from "./read-body.ts";
import { startDeadline, type Pacing } from "./time.ts";
import { factsOf, toFailure, type AnswerContext } from "./to-failure.ts";

/** What a code that is newer than this package, or a proxy, says by its status alone. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 500;

/** What one call may set otherwise than the client. */
export interface CallOptions {
  /** Ends the call, retries included, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt; the client's own unless given. */
  readonly timeoutMs?: number | undefined;
  /** Repeats after a failure that a repeat can mend; 0 for none, the client's own unless given. */
  readonly maxRetries?: number | undefined;
}

/** How every call of a client is sent. */
export interface SendSettings {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryDelayMs: number;
  readonly pacing: Pacing;
  /** Takes the token out of a text. */
  readonly conceal: (text: string) => string;
}

/** One request, and how its answer is read. */
export interface Call<T> {
  readonly url: string;
  /** A 304 is expected where there is an `If-None-Match`. */
  readonly headers: Headers;
  /** A body to POST; without one it is a GET. */
  readonly body?: string | undefined;
  /** Whether a repeat costs nothing if the first one went through unseen. */
  readonly repeatIsFree: boolean;
  /** Reads an answer within the attempt's time. */
  readonly read: (response: Response, context: AnswerContext) => Promise<T>;
}

/**
 * Sends a request, and repeats it after a failure that a repeat can mend.
 *
 * @throws SnapError for every failure; the reason of `signal` when it aborts.
 */
export async function send<T>(settings: SendSettings, call: Call<T>, options: CallOptions = {}): Promise<T> {
  const { signal } = options;
  const timeoutMs = readInteger("timeoutMs", options.timeoutMs ?? settings.timeoutMs, DURATION_MS);
  const maxRetries = readInteger("maxRetries", options.maxRetries ?? settings.maxRetries, RETRIES);
  const { repeatIsFree } = call;
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(settings, call, { signal, timeoutMs });
    } catch (error) {
      const delayMs = retryDelayMs(error, { ...settings, maxRetries, retries, repeatIsFree });
      if (delayMs === null) throw error;
      await settings.pacing.sleep(delayMs, signal);
    }
  }
}

async function attempt<T>(
  { fetch, pacing, conceal }: SendSettings,
  { url, headers, body, read }: Call<T>,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<T> {
  signal?.throwIfAborted();
  const { origin } = new URL(url);
  const deadline = startDeadline({ timeoutMs, signal, what: `${origin} gave no complete answer` });
  try {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers,
      // Null is no body; undefined would not do for every fetch.
      body: body ?? null,
      // A redirect could take the token to another origin.
      redirect: "manual",
      signal: deadline.signal,
    });
    const context = { origin, conceal, nowMs: pacing.now() };
    if (response.ok || (response.status === 304 && headers.has("If-None-Match")))
      return await read(response, context);
    throw toFailure(response, { ...context, text: await readText(response) });
  } catch (error) {
    deadline.signal.throwIfAborted();
    if (isSnapError(error)) throw error;
    throw new SnapError(
      "connection_failed",
      `The connection to ${origin} failed: ${conceal(reasonOf(error))}`,
      { status: 0, cause: error },
    );
  } finally {
    deadline.clear();
  }
}

interface Thrown {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: Thrown;
}

/** It stands in the cause of what `fetch` throws, if anywhere; that of several addresses has a code only. */
function reasonOf(error: unknown): string {
  const thrown = Object(error) as Thrown;
  const { message, code } = thrown.cause ?? thrown;
  return message || String(code ?? error);
}

interface RetryRules {
  /** How many repeats have been made. */
  readonly retries: number;
  readonly maxRetries: number;
  /** A longer wait isn't waited. */
  readonly maxRetryDelayMs: number;
  /** Whether the request costs nothing if the first one went through unseen. */
  readonly repeatIsFree: boolean;
  readonly pacing: Pacing;
}

/** Milliseconds to wait before the next attempt; `null` when there is to be none. */
function retryDelayMs(
  error: unknown,
  { retries, maxRetries, maxRetryDelayMs, repeatIsFree, pacing }: RetryRules,
): number | null {
  if (!isSnapError(error) || retries >= maxRetries || !isRetryable(error, repeatIsFree)) return null;
  if (error.retryAfter === null)
    // Full jitter: callers that failed together don't come back together.
    return pacing.random() * Math.min(maxRetryDelayMs, FIRST_BACKOFF_MS * 2 ** retries);
  const delayMs = error.retryAfter * 1000;
  // Those who were told the same moment don't come back in the same.
  return delayMs <= maxRetryDelayMs ? delayMs + pacing.random() * FIRST_BACKOFF_MS : null;
}

function isRetryable({ code, status }: SnapError, repeatIsFree: boolean): boolean {
  if (status === 0) return code === "connection_failed" && repeatIsFree;
  const byStatus = RETRYABLE_STATUSES.has(status);
  // Behind a proxy that gave up, the service may have done the work all the same.
  if (code === "unexpected_answer") return repeatIsFree && byStatus;
  return factsOf(code)?.retryable ?? byStatus;
}
