import { addAbortListener } from "node:events";
import { request as sendRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { systemClock, type Clock } from "../ports/clock.ts";
import type { Resolver } from "../ports/resolver.ts";
import type {
  WebhookFailureReason,
  WebhookOutcome,
  WebhookRequest,
  WebhookSender,
} from "../ports/webhook-sender.ts";
import { parseTarget, type Target } from "../targets/target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import { abortable } from "../timeouts.ts";
import { connect, startTls } from "./connect.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Bound of one attempt, from the look-up to the last byte (faults.md, Webhooks and HTTP). */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** As much of an answer as is read, its head included (faults.md, Webhooks and HTTP). */
const ANSWER_BYTES_MAX = 65_536;
const HEADER_BYTES_MAX = 16_384;

export interface WebhookSenderOptions {
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** Tells when an attempt has taken too long, and how far away a date in `Retry-After` is. */
  readonly clock?: Clock;
  /** Bound of a whole attempt; 15,000 unless given. */
  readonly timeoutMs?: number;
  /** An answer longer than this, head and body together, is a failed attempt; 65,536 unless given. */
  readonly maxAnswerBytes?: number;
}

interface Attempt extends WebhookRequest {
  readonly signal: AbortSignal;
}

/**
 * Delivers webhooks through the egress connector, under the rules of the pages: the receiver's name is
 * resolved once, every address of it must be allowed, and https must prove that it is the receiver.
 *
 * @example
 * const sender = createWebhookSender({ policy: PUBLIC_TARGETS_ONLY, resolver: systemResolver });
 * const outcome = await sender.send({ url: "https://example.com/hook", headers: {}, body: new Uint8Array() });
 * if (outcome.kind === "answered" && outcome.status === 410) console.log("not wanted any more");
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { clock = systemClock, timeoutMs = ATTEMPT_TIMEOUT_MS } = options;
  const running = new Set<AbortController>();
  let isClosed = false;
  return {
    async send(request) {
      if (isClosed) return failed("broken");
      const attempt = new AbortController();
      const { signal } = attempt;
      running.add(attempt);
      const stopTimer = clock.after(timeoutMs, () => attempt.abort("timed-out"));
      try {
        return await abortable(signal, post({ ...request, signal }, { ...options, clock }));
      } catch (error) {
        if (!signal.aborted) throw error;
        return failed(signal.reason as WebhookFailureReason);
      } finally {
        stopTimer();
        running.delete(attempt);
        attempt.abort();
      }
    },
    async close() {
      isClosed = true;
      for (const attempt of running) attempt.abort("broken");
    },
  };
}

/** What it opens closes with the attempt's signal. */
async function post(
  attempt: Attempt,
  {
    policy,
    resolver,
    clock,
    maxAnswerBytes = ANSWER_BYTES_MAX,
  }: WebhookSenderOptions & { readonly clock: Clock },
): Promise<WebhookOutcome> {
  const target = parseTarget(attempt.url);
  if (target === null || target.hasCredentials) return failed("blocked");
  const socket = await connect({ ...target, policy, resolver, signal: attempt.signal });
  if (typeof socket === "string") return failed(socket);
  addAbortListener(attempt.signal, () => void socket.destroy());
  const isSecure = /^https:/i.test(attempt.url);
  const stream = isSecure ? await startTls(socket, target.hostname) : socket;
  if (stream === null) return failed("unreachable");
  const answer = await exchange({ attempt, target, stream, maxAnswerBytes });
  if (answer === null) return failed("broken");
  const { statusCode: status = 0, headers } = answer;
  return { kind: "answered", status, retryAfterMs: parseRetryAfter(headers["retry-after"], clock.now()) };
}

interface Exchange {
  readonly attempt: Attempt;
  readonly target: Target;
  readonly stream: Socket;
  readonly maxAnswerBytes: number;
}

/** The answer, once its body has come and been dropped; `null` when it isn't whole or is too long. */
function exchange({ attempt, target, stream, maxAnswerBytes }: Exchange): Promise<IncomingMessage | null> {
  const { pathname, search } = new URL(attempt.url);
  return new Promise((resolve) => {
    const giveUp = (): void => resolve(null);
    const outgoing = sendRequest({
      createConnection: () => stream,
      method: "POST",
      path: pathname + search,
      headers: {
        "User-Agent": "snap-webhook",
        ...attempt.headers,
        Host: target.host,
        "Content-Length": attempt.body.byteLength,
      },
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    outgoing.once("socket", () => meter(stream, { maxBytes: maxAnswerBytes, onExcess: giveUp }));
    outgoing.on("response", (answer) => {
      answer.on("error", giveUp);
      answer.once("end", () => resolve(answer));
      answer.resume();
    });
    outgoing.on("error", giveUp);
    outgoing.once("close", giveUp);
    outgoing.end(attempt.body);
  });
}

/** Counts all that comes, interim answers and the frames of chunks included. */
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

function failed(reason: WebhookFailureReason): WebhookOutcome {
  return { kind: "failed", reason };
}
