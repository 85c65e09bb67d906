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

const BROKEN: WebhookOutcome = { kind: "failed", reason: "broken" };

/**
 * Creates a sender whose receivers immediately respond with 204 by default. After `close`, all held and later requests
 * fail with `broken`, and so does a held request that is aborted.
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
  const closed = Promise.withResolvers<WebhookOutcome>();
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
    async send({ signal, ...request }) {
      if (isClosed || signal?.aborted === true) return BROKEN;
      const outcome = outcomes.shift() ?? { kind: "responded", status: 204, retryAfterMs: null, body: "" };
      requests.push(request);
      sent.resolve();
      sent = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<WebhookOutcome>();
      signal?.addEventListener("abort", () => aborted.resolve(BROKEN));
      return Promise.race([closed.promise, aborted.promise, gate.then(() => outcome)]);
    },
    async close() {
      isClosed = true;
      closed.resolve(BROKEN);
    },
  };
}
