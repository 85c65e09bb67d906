import {
  signStandardWebhook,
  signWebhook,
  STANDARD_WEBHOOK_HEADERS,
  WEBHOOK_HEADERS,
  type RenderBatch,
} from "@snap/protocol";
import type { TokenRecord } from "../ports/tokens.ts";
import type { WebhookRequest } from "../ports/webhook-sender.ts";
import { previousSecretsAt } from "../tokens/previous-secrets.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";

/** Returns the request that delivers a batch document, signed now with the token's secret. */
export function signRequest(
  { seal, clock }: Pick<BatchDependencies, "seal" | "clock">,
  {
    url,
    document,
    token,
  }: { readonly url: string; readonly document: RenderBatch; readonly token: TokenRecord },
): WebhookRequest {
  const body = new TextEncoder().encode(JSON.stringify(document));
  const now = clock.now();
  const previous = previousSecretsAt(token, now);
  const secrets = {
    signingSecret: seal.open(token.sealedSigningSecret),
    previousSecret: previous && seal.open(previous.sealedSigningSecret),
  };
  const timestamp = String(Math.floor(now / 1000));
  return { url, headers: signedHeaders({ id: document.id, timestamp, body }, secrets), body };
}

/**
 * `X-Webhook-Signature` is one signature, made with the current secret. `webhook-signature` can list several, so
 * receivers can verify it with either secret during an overlap (Standard Webhooks, "Webhook signatures").
 */
function signedHeaders(
  delivery: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
  secrets: { readonly signingSecret: string; readonly previousSecret: string | null },
): WebhookRequest["headers"] {
  const { id, timestamp } = delivery;
  const { signingSecret, previousSecret } = secrets;
  const signingSecrets = previousSecret === null ? [signingSecret] : [signingSecret, previousSecret];
  return {
    "Content-Type": "application/json; charset=utf-8",
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signWebhook(delivery, signingSecret),
    [STANDARD_WEBHOOK_HEADERS.id]: id,
    [STANDARD_WEBHOOK_HEADERS.timestamp]: timestamp,
    [STANDARD_WEBHOOK_HEADERS.signature]: signingSecrets
      .map((secret) => signStandardWebhook(delivery, secret))
      .join(" "),
  };
}
