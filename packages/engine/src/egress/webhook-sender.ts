import type { WebhookOutcome, WebhookSender } from "../ports/webhook-sender.ts";
import { createHttpSender, type HttpOutcome, type HttpSenderOptions } from "./http-sender.ts";

/** Time limit of one attempt, from name resolution to the last byte. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** Maximum size of a response, including its headers. */
const RESPONSE_BYTES_MAX = 65_536;

export interface WebhookSenderOptions extends Omit<HttpSenderOptions, "timeoutMs" | "maxResponseBytes"> {
  /** Time limit for an attempt; 15,000 by default. */
  readonly timeoutMs?: number;
  /** An attempt fails if the response's headers and body together are longer than this; 65,536 by default. */
  readonly maxResponseBytes?: number;
}

/**
 * Creates a webhook sender. The same egress rules apply as for pages: the receiver's name is resolved once, every
 * address must be allowed, and https requires a valid certificate.
 *
 * @example
 * const sender = createWebhookSender({ policy: PUBLIC_TARGETS_ONLY, resolver: systemResolver });
 * const outcome = await sender.send({ url: "https://example.com/hook", headers: {}, body: new Uint8Array() });
 * if (outcome.kind === "responded" && outcome.status === 410) console.log("the receiver is gone");
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { timeoutMs = ATTEMPT_TIMEOUT_MS, maxResponseBytes = RESPONSE_BYTES_MAX } = options;
  const sender = createHttpSender({ ...options, timeoutMs, maxResponseBytes });
  return {
    send: async ({ headers, ...request }) =>
      toWebhookOutcome(
        await sender.send({
          ...request,
          method: "POST",
          headers: { "User-Agent": "snap-webhook", ...headers },
        }),
      ),
    close: () => sender.close(),
  };
}

/** Decodes the body, without a truncated last character. */
function toWebhookOutcome(outcome: HttpOutcome): WebhookOutcome {
  if (outcome.kind === "failed") return outcome;
  return { ...outcome, body: new TextDecoder().decode(outcome.body, { stream: true }) };
}
