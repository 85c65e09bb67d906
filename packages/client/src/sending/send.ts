import { HEADERS } from "@snap/protocol";
import { aborted, isSnapError, SnapError } from "../errors.ts";
import { DURATION_RANGE_MS, readInteger, RETRIES_RANGE } from "../read-options.ts";
import { readText } from "./read-body.ts";
import type { Observer, RequestEvent } from "./hooks.ts";
import { sanitizeText, redactError, redactHeaders, type Redact } from "./received-text.ts";
import { retryDelayMs } from "./retry.ts";
import { startDeadline, type Pacing } from "./time.ts";
import { toFailure, type ResponseContext } from "./to-failure.ts";

/** Options for one call, which override the client's. */
export interface CallOptions {
  /** Ends the call, retries included, with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt in milliseconds; the client's by default. */
  readonly timeoutMs?: number | undefined;
  /** Maximum retries after a retryable failure; 0 for none, the client's by default. */
  readonly maxRetries?: number | undefined;
}

/** Settings that all calls of a client share. */
export interface SendSettings {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryDelayMs: number;
  readonly pacing: Pacing;
  readonly observer: Observer;
  readonly redact: Redact;
}

/** A body that `fetch` can send. */
export type RequestBody = NonNullable<RequestInit["body"]>;

/** One request, and how to read its response. */
export interface Call<T> {
  readonly url: string;
  /** A 304 is expected only with `If-None-Match`. */
  readonly headers: Headers;
  /** By default, POST if there is a body, and GET otherwise. */
  readonly method?: "DELETE" | undefined;
  readonly body?: RequestBody | undefined;
  /** Whether a retry is free even if the first attempt succeeded but its response was lost. */
  readonly retryIsFree: boolean;
  /** Reads the response, within the attempt's timeout. */
  readonly read: (response: Response, context: ResponseContext) => Promise<T>;
}

/** A request to the service with the token. */
export interface ServiceCall<T> extends Pick<Call<T>, "method" | "body" | "retryIsFree" | "read"> {
  /** Sent as `If-None-Match`. */
  readonly etag?: string | null | undefined;
  /** Sent as `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  /** Content type of the body: JSON by default; `null` leaves it to `fetch`. */
  readonly contentType?: string | null;
}

/** Sends a request to a path under the base URL. */
export type SendToService = <T>(path: string, call: ServiceCall<T>, options?: CallOptions) => Promise<T>;

/**
 * Sends a request, and retries it after a retryable failure.
 *
 * @throws SnapError for every failure; TypeError if `signal` is not an `AbortSignal`.
 */
export async function send<T>(settings: SendSettings, call: Call<T>, options: CallOptions = {}): Promise<T> {
  const { signal } = options;
  const timeoutMs = readInteger("timeoutMs", options.timeoutMs ?? settings.timeoutMs, DURATION_RANGE_MS);
  const maxRetries = readInteger("maxRetries", options.maxRetries ?? settings.maxRetries, RETRIES_RANGE);
  const { retryIsFree, body, method = body === undefined ? "GET" : "POST" } = call;
  // an id in the path can be a misplaced token
  const path = settings.redact(new URL(call.url).pathname);
  for (let retries = 0; ; retries += 1) {
    const event = { method, path, attempt: retries + 1 };
    try {
      return await attempt(settings, call, { signal, timeoutMs, event });
    } catch (error) {
      const delayMs = retryDelayMs(error, { ...settings, maxRetries, retries, retryIsFree });
      if (delayMs === null) throw error;
      const { code, status, requestId } = error as SnapError;
      settings.observer.onRetry({ ...event, code, status, requestId, delayMs });
      try {
        await settings.pacing.sleep(delayMs, signal);
      } catch (reason) {
        throw signal?.aborted === true ? aborted(signal) : reason;
      }
    }
  }
}

interface AttemptOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly event: RequestEvent;
}

async function attempt<T>(
  { fetch, pacing, observer, redact }: SendSettings,
  { url, headers, body, read }: Call<T>,
  { signal, timeoutMs, event }: AttemptOptions,
): Promise<T> {
  if (signal?.aborted === true) throw aborted(signal);
  const { origin, search } = new URL(url);
  const deadline = startDeadline({
    timeoutMs,
    signal,
    timedOut: () =>
      new SnapError("timed_out", `${origin} sent no complete response within ${timeoutMs} ms.`, {
        status: 0,
      }),
  });
  try {
    observer.onRequest(event);
    const startedMs = pacing.now();
    const response = await fetch(url, {
      method: event.method,
      headers,
      // some fetch implementations reject undefined
      body: body ?? null,
      // a redirect could send the token to another origin
      redirect: "manual",
      signal: deadline.signal,
    });
    const nowMs = pacing.now();
    const redactedHeaders = redactHeaders(response.headers, redact);
    observer.onResponse({
      ...event,
      status: response.status,
      durationMs: nowMs - startedMs,
      requestId: redactedHeaders.get(HEADERS.requestId),
    });
    const context = { origin, headers: redactedHeaders, redact, nowMs };
    if (response.ok || (response.status === 304 && headers.has("If-None-Match")))
      return await read(response, context);
    throw toFailure(response, { ...context, text: await readText(response) });
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.error();
    if (isSnapError(error)) throw error;
    // Deno quotes the whole URL, whose query can contain a signature or secrets of the page
    const hide: Redact = (text) => redact(text.replaceAll(search, ""));
    throw new SnapError(
      "connection_failed",
      `The connection to ${origin} failed: ${sanitizeText(hide(reasonOf(error)))}`,
      { status: 0, cause: redactError(error, hide) },
    );
  } finally {
    deadline.clear();
  }
}

interface FetchError {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: FetchError;
}

/** `fetch` puts the reason in `cause`. The error for a host with several addresses has a code but no message. */
function reasonOf(error: unknown): string {
  const fetchError = Object(error) as FetchError;
  const { message, code } = fetchError.cause ?? fetchError;
  return message || String(code ?? error);
}
