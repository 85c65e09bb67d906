import { signStandardWebhook, signWebhook, STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "@snap/protocol";
import type { BatchRecord, DeliveryState } from "../ports/batches.ts";
import type { WebhookOutcome, WebhookRequest } from "../ports/webhook-sender.ts";
import type { BatchEvent } from "./batch-machine.ts";
import { applyEvent, type BatchParts } from "./batch-parts.ts";
import { describeBatch } from "./batches.ts";

/** Longer than an attempt may take, 15 s, so that no two are made at once. */
const DELIVERY_LEASE_MS = 25_000;
/** A receiver can't put an attempt off for longer than this. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** Part of each pause that chance adds, so that receivers that come back aren't met by all at once. */
const JITTER = 0.1;

/** How one attempt ended; `retryAt` is `null` when no other follows. */
export interface DeliveryAttempt {
  readonly batchId: string;
  readonly accountId: string;
  /** Origin of the receiver: its path may hold what is secret. */
  readonly receiver: string;
  readonly attempt: number;
  readonly outcome: WebhookOutcome | { readonly kind: "token-revoked" };
  readonly delivered: boolean;
  readonly retryAt: number | null;
}

/** A delivery that a worker is about to attempt. */
export interface HeldDelivery {
  readonly batch: BatchRecord & { readonly webhookUrl: string };
  readonly delivery: Extract<DeliveryState, { readonly status: "sending" }>;
}

/** Takes a due delivery; `null` when another worker was quicker. */
export async function claimDelivery(parts: BatchParts, batchId: string): Promise<HeldDelivery | null> {
  const leaseEndsAt = parts.clock.now() + DELIVERY_LEASE_MS;
  const batch = await applyEvent(parts, batchId, { type: "delivery-claimed", leaseEndsAt });
  if (batch === null || batch.delivery?.status !== "sending" || batch.webhookUrl === null) return null;
  return { batch: { ...batch, webhookUrl: batch.webhookUrl }, delivery: batch.delivery };
}

/**
 * Makes one attempt at the webhook of a finished batch (interface.md, Events;
 * docs/decisions/batches-and-webhooks.md). At least once: an attempt whose acknowledgement could not be
 * written down is made again, under the same id.
 *
 * @param wasCut Whether the worker itself has cut the attempt short: then it doesn't count.
 */
export async function deliver(
  parts: BatchParts,
  { batch, delivery }: HeldDelivery,
  wasCut: () => boolean,
): Promise<void> {
  const { fence, attempts } = delivery;
  const outcome = await attempt(parts, batch);
  if (outcome.kind === "failed" && wasCut()) {
    await applyEvent(parts, batch.id, { type: "delivery-released", fence });
    return;
  }
  const delivered = outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;
  const retryAt = delivered ? null : retryInstant(parts, outcome, delivery);
  const event: BatchEvent = delivered
    ? { type: "delivery-acknowledged", fence }
    : { type: "delivery-failed", fence, retryAt };
  await applyEvent(parts, batch.id, event);
  const { id: batchId, accountId, webhookUrl } = batch;
  const receiver = new URL(webhookUrl).origin;
  parts.onDeliveryAttempt({ batchId, accountId, receiver, attempt: attempts, outcome, delivered, retryAt });
}

async function attempt(parts: BatchParts, batch: HeldDelivery["batch"]): Promise<DeliveryAttempt["outcome"]> {
  const { tokens, webhookSender, seal, clock } = parts;
  const found = await tokens.find(batch.tokenId);
  // Its secret went with it: nothing that is sent now could be verified.
  if (found === null) return { kind: "token-revoked" };
  const document = await describeBatch(parts, { batch, token: found.token });
  const body = new TextEncoder().encode(JSON.stringify(document));
  const signingSecret = seal.open(found.token.sealedSigningSecret);
  const timestamp = String(Math.floor(clock.now() / 1000));
  return webhookSender.send({
    url: batch.webhookUrl,
    headers: signedHeaders({ id: batch.id, timestamp, body }, signingSecret),
    body,
  });
}

function signedHeaders(
  delivery: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
  signingSecret: string,
): WebhookRequest["headers"] {
  const { id, timestamp } = delivery;
  return {
    "Content-Type": "application/json; charset=utf-8",
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signWebhook(delivery, signingSecret),
    [STANDARD_WEBHOOK_HEADERS.id]: id,
    [STANDARD_WEBHOOK_HEADERS.timestamp]: timestamp,
    [STANDARD_WEBHOOK_HEADERS.signature]: signStandardWebhook(delivery, signingSecret),
  };
}

/** 410 says that nobody wants it any more; a revoked token can't sign. */
function retryInstant(
  { clock, random, webhookPausesMs }: BatchParts,
  outcome: DeliveryAttempt["outcome"],
  { attempts }: DeliveryState,
): number | null {
  const pauseMs = webhookPausesMs[attempts - 1];
  if (pauseMs === undefined || outcome.kind === "token-revoked") return null;
  if (outcome.kind === "answered" && outcome.status === 410) return null;
  const askedMs = outcome.kind === "answered" ? (outcome.retryAfterMs ?? 0) : 0;
  const [chance = 0] = random.bytes(1);
  const jitteredMs = Math.round(pauseMs * (1 + (JITTER * chance) / 255));
  return clock.now() + Math.max(jitteredMs, Math.min(askedMs, MAX_RETRY_AFTER_MS));
}
