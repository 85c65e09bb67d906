import type { WebhookOutcome, WebhookRequest, WebhookSender } from "@snap/engine/ports";

/** A webhook sender without a network, to be scripted and asked afterwards. */
export interface FakeWebhookSender extends WebhookSender {
  /** What was sent so far, in order. */
  readonly requests: readonly WebhookRequest[];
  /** Resolves once `count` requests have been sent, those before it included. */
  whenSent(count: number): Promise<void>;
  /** Keeps requests that are sent from now on without an answer until the function returned is called. */
  hold(): () => void;
  /** Gives the next `times` requests this outcome; once unless given. */
  answerNext(outcome: WebhookOutcome, times?: number): void;
}

/**
 * A sender whose receivers acknowledge at once, with a 204, unless told otherwise. Once closed it ends
 * what it holds as `broken`, and sends nothing more.
 *
 * @example
 * const sender = createFakeWebhookSender();
 * sender.answerNext({ kind: "answered", status: 500, retryAfterMs: null }, 3);
 * sender.answerNext({ kind: "failed", reason: "timed-out" });
 * await sender.whenSent(4);
 * console.log(sender.requests.map((request) => request.headers["X-Webhook-Timestamp"]));
 */
export function createFakeWebhookSender(): FakeWebhookSender {
  const requests: WebhookRequest[] = [];
  const outcomes: WebhookOutcome[] = [];
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  let gate: Promise<void> = Promise.resolve();
  let sent = Promise.withResolvers<void>();

  return {
    requests,
    async whenSent(count) {
      while (requests.length < count) await sent.promise;
    },
    hold() {
      const opened = Promise.withResolvers<void>();
      gate = opened.promise;
      return opened.resolve;
    },
    answerNext(outcome, times = 1) {
      for (let time = 0; time < times; time += 1) outcomes.push(outcome);
    },
    async send(request) {
      if (isClosed) return { kind: "failed", reason: "broken" };
      const outcome = outcomes.shift() ?? { kind: "answered", status: 204, retryAfterMs: null };
      requests.push(request);
      sent.resolve();
      sent = Promise.withResolvers<void>();
      await Promise.race([gate, closed.promise]);
      return isClosed ? { kind: "failed", reason: "broken" } : outcome;
    },
    async close() {
      isClosed = true;
      closed.resolve();
    },
  };
}
