import type { WebhookOutcome, WebhookRequest, WebhookSender } from "@snap/engine/ports";

/** A scriptable webhook sender without a network, which records its requests. */
export interface FakeWebhookSender extends WebhookSender {
  /** All requests so far, in order. */
  readonly requests: readonly WebhookRequest[];
  /** Resolves after `count` requests in total. */
  whenSent(count: number): Promise<void>;
  /** Holds the outcome of all later requests until the returned function is called. */
  hold(): () => void;
  /** Sets the outcome of the next `times` requests; one by default. */
  returnNext(outcome: WebhookOutcome, times?: number): void;
}

/**
 * Creates a sender whose receivers immediately respond with 204 by default. After `close`, all held and later requests
 * fail with `broken`.
 *
 * @example
 * const sender = createFakeWebhookSender();
 * sender.returnNext({ kind: "responded", status: 500, retryAfterMs: null, body: "" }, 3);
 * sender.returnNext({ kind: "failed", reason: "timed-out" });
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
    returnNext(outcome, times = 1) {
      for (let time = 0; time < times; time += 1) outcomes.push(outcome);
    },
    async send(request) {
      if (isClosed) return { kind: "failed", reason: "broken" };
      const outcome = outcomes.shift() ?? { kind: "responded", status: 204, retryAfterMs: null, body: "" };
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
