import { parseRetryAfter } from "@snap/protocol";
import { addAbortListener } from "node:events";
import { request as sendRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { systemClock, type Clock } from "../ports/clock.ts";
import type { Resolver } from "../ports/resolver.ts";
import type { WebhookFailureReason } from "../ports/webhook-sender.ts";
import { parseTarget, type Target } from "../targets/target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import { abortable } from "../timeouts.ts";
import { connect } from "./connect.ts";
import { startTls } from "./open-socket.ts";
import type { UpstreamProxy } from "./upstream-proxy.ts";

const HEADER_BYTES_MAX = 16_384;
/** How many bytes of a response's body are returned by default. */
const BODY_START_BYTES = 2048;

/** A request to a webhook's receiver or a store. */
export interface HttpRequest {
  readonly method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT";
  readonly url: string;
  /** Without `Host` and `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` for DELETE, GET and HEAD. */
  readonly body: Uint8Array | null;
  /**
   * Maximum number of bytes of the body to return; 2,048 by default. If set, it is added to `maxResponseBytes`, and the
   * rest of a longer body is not received.
   */
  readonly bodyMaxBytes?: number | undefined;
  /** Once it aborts, the request fails with `broken`. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a request. */
export type HttpOutcome =
  | {
      readonly kind: "responded";
      readonly status: number;
      /** The delay that `Retry-After` asks for, measured from now; never negative. `null` if absent or invalid. */
      readonly retryAfterMs: number | null;
      /** The start of the response body. */
      readonly body: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "failed"; readonly reason: WebhookFailureReason };

export interface HttpSenderOptions {
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** None by default. */
  readonly upstreamProxy?: UpstreamProxy | null | undefined;
  /** For the time limit and the dates in `Retry-After`. */
  readonly clock?: Clock | undefined;
  /** Time limit of a request, from name resolution to the last byte. */
  readonly timeoutMs: number;
  /** A request fails if the response's headers and body together are longer than this, plus its `bodyMaxBytes`. */
  readonly maxResponseBytes: number;
}

/** Sends requests, with limits on their time and response size. Does not follow redirects and does not retry. */
export interface HttpSender {
  /** Does not throw if the server fails; the outcome says why. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Current and later requests fail with `broken`. */
  close(): Promise<void>;
}

interface Attempt extends HttpRequest {
  readonly signal: AbortSignal;
}

/**
 * Creates a sender. The same egress rules apply as for pages: the server's name is resolved once, every address must be
 * allowed, and https requires a valid certificate.
 */
export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { clock = systemClock, timeoutMs } = options;
  const controllers = new Set<AbortController>();
  let isClosed = false;
  return {
    async send(request) {
      if (isClosed) return failed("broken");
      const controller = new AbortController();
      const { signal } = controller;
      controllers.add(controller);
      const stopTimer = clock.after(timeoutMs, () => controller.abort("timed-out"));
      const listener = request.signal && addAbortListener(request.signal, () => controller.abort("broken"));
      try {
        return await abortable(signal, connectAndSend({ ...request, signal }, { ...options, clock }));
      } catch (error) {
        if (!signal.aborted) throw error;
        return failed(signal.reason as WebhookFailureReason);
      } finally {
        stopTimer();
        listener?.[Symbol.dispose]();
        controllers.delete(controller);
        controller.abort();
      }
    },
    async close() {
      isClosed = true;
      for (const controller of controllers) controller.abort("broken");
    },
  };
}

/** Sends the request; closes the connection when the attempt's signal aborts. */
async function connectAndSend(
  attempt: Attempt,
  {
    policy,
    resolver,
    upstreamProxy = null,
    clock,
    maxResponseBytes,
  }: HttpSenderOptions & { readonly clock: Clock },
): Promise<HttpOutcome> {
  const target = parseTarget(attempt.url);
  if (target === null || target.hasCredentials) return failed("blocked");
  const socket = await connect({ ...target, policy, resolver, upstreamProxy, signal: attempt.signal });
  if (typeof socket === "string") return failed(socket);
  addAbortListener(attempt.signal, () => void socket.destroy());
  const stream = target.isSecure ? await startTls(socket, target.hostname) : socket;
  if (stream === null) return failed("unreachable");
  const received = await exchange({ attempt, target, stream, maxResponseBytes });
  if (received === null) return failed("broken");
  const { response, body } = received;
  const { statusCode: status = 0, headers } = response;
  const retryAfterMs = parseRetryAfter(headers["retry-after"], clock.now());
  return { kind: "responded", status, retryAfterMs, body };
}

interface Exchange {
  readonly attempt: Attempt;
  readonly target: Target;
  readonly stream: Socket;
  readonly maxResponseBytes: number;
}

interface ReceivedResponse {
  readonly response: IncomingMessage;
  /** The start of the body. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Resolves to the response once its body, or `bodyMaxBytes` of it, has arrived; to `null` if it is
 * incomplete or too long.
 */
function exchange({ attempt, target, stream, maxResponseBytes }: Exchange): Promise<ReceivedResponse | null> {
  const { pathname, search } = new URL(attempt.url);
  const { bodyMaxBytes } = attempt;
  const maxBytes = maxResponseBytes + (bodyMaxBytes ?? 0);
  return new Promise((resolve) => {
    const fail = (): void => resolve(null);
    const outgoing = sendRequest({
      createConnection: () => stream,
      method: attempt.method,
      path: pathname + search,
      headers: {
        ...attempt.headers,
        Host: target.host,
        ...(attempt.body && { "Content-Length": attempt.body.byteLength }),
      },
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    outgoing.once("socket", () => meter(stream, { maxBytes, onExcess: fail }));
    outgoing.on("response", (response) => {
      response.on("error", fail);
      const finish = (body: Uint8Array<ArrayBuffer>): void => resolve({ response, body });
      const onFull = bodyMaxBytes === undefined ? () => {} : finish;
      collectStart(response, { maxBytes: bodyMaxBytes ?? BODY_START_BYTES, onFull, onEnd: finish });
    });
    outgoing.on("error", fail);
    outgoing.once("close", fail);
    outgoing.end(attempt.body ?? undefined);
  });
}

interface BodyListener {
  readonly maxBytes: number;
  /** Called once `maxBytes` of the body have arrived. */
  readonly onFull: (start: Uint8Array<ArrayBuffer>) => void;
  /** Called once the whole body has arrived. */
  readonly onEnd: (start: Uint8Array<ArrayBuffer>) => void;
}

/** Reads a whole body, and collects its start. */
function collectStart(response: IncomingMessage, { maxBytes, onFull, onEnd }: BodyListener): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    if (bytes >= maxBytes) return;
    chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    if (bytes >= maxBytes) onFull(Buffer.concat(chunks));
  });
  response.once("end", () => onEnd(Buffer.concat(chunks)));
}

/** Counts every received byte, including interim responses and chunk framing. */
function meter(
  stream: Socket,
  { maxBytes, onExcess }: { readonly maxBytes: number; readonly onExcess: () => void },
): void {
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) onExcess();
  });
}

function failed(reason: WebhookFailureReason): HttpOutcome {
  return { kind: "failed", reason };
}
