import { encodeSpaces, URL_MESSAGES, type RenderBatch } from "@snap/protocol";
import { AdminError } from "../errors.ts";
import { orderedId } from "../ids.ts";
import type { WebhookOutcome, WebhookRequest } from "../ports/webhook-sender.ts";
import { classifySentUrl } from "../targets/target.ts";
import { openSigningSecret } from "../tokens/check-secret-key.ts";
import { tokenNotFound } from "../tokens/tokens.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";
import { isAcknowledged } from "./deliver.ts";
import { signRequest } from "./sign-request.ts";

/** The result of sending a test event. */
export interface WebhookTest {
  readonly url: string;
  /** The request's headers, with the signatures. */
  readonly headers: WebhookRequest["headers"];
  readonly outcome: WebhookOutcome;
  /** Whether the receiver acknowledged the event with a 2xx. */
  readonly delivered: boolean;
  readonly durationMs: number;
}

/** Sends a test event, which looks like a finished batch without items. Stores nothing. */
export async function testWebhook(
  dependencies: BatchDependencies,
  { url: sent, tokenId }: { readonly url: string; readonly tokenId: number },
): Promise<WebhookTest> {
  const { tokens, targets, webhookSender, clock, seal } = dependencies;
  const verdict = classifySentUrl(sent, targets);
  // a blocked receiver is reported as the outcome, as in a delivery
  if (verdict !== "ok" && verdict !== "blocked")
    throw new AdminError(`a receiver's URL ${URL_MESSAGES[verdict]}`, { code: "invalid_value" });
  const url = encodeSpaces(sent);
  const principal = await tokens.find(tokenId);
  if (principal === null) throw tokenNotFound(tokenId);
  // throws an error with advice if the secret cannot be decrypted; `signRequest` would throw one without
  openSigningSecret(seal, principal.token);
  const document = testEvent(dependencies, url);
  const request = signRequest(dependencies, { url, document, token: principal.token });
  const startedAt = clock.now();
  const outcome = await webhookSender.send(request);
  const durationMs = Math.max(0, clock.now() - startedAt);
  return { url, headers: request.headers, outcome, delivered: isAcknowledged(outcome), durationMs };
}

function testEvent({ clock, random }: BatchDependencies, url: string): RenderBatch {
  const now = clock.now();
  const at = new Date(now).toISOString();
  return {
    id: `test_${orderedId(random, { at: now })}`,
    status: "complete",
    created_at: at,
    finished_at: at,
    prunes_at: at,
    webhook: { url, delivered_at: null },
    items: [],
    test: true,
  };
}
