import { DAY_MS } from "../days.ts";
import { orderedId } from "../ids.ts";
import type { AttemptRecord, BatchRecord, DeliveryState } from "../ports/batches.ts";
import type { WebhookOutcome, WebhookRequest } from "../ports/webhook-sender.ts";
import { storableText } from "../storable-text.ts";
import type { BatchEvent } from "./batch-machine.ts";
import { applyEvent, type BatchDependencies } from "./batch-dependencies.ts";
import { describeBatch } from "./render-batch.ts";
import { redactPath } from "./redact-path.ts";
import { responseLine } from "./response-line.ts";
import { signRequest } from "./sign-request.ts";

/** 15 s for the attempt and 10 s for the reads before it; slower reads can let attempts overlap. */
const DELIVERY_LEASE_MS = 25_000;
/** Limit for a receiver's `Retry-After`. */
const MAX_RETRY_AFTER_MS = DAY_MS;
/** Each delay grows by a random fraction up to this, so a recovering receiver does not get all retries at once. */
const JITTER = 0.1;

/** The result of an attempt; `retryAt` is `null` if no attempt follows. */
export interface DeliveryAttempt {
  readonly batchId: string;
  readonly accountId: string;
  /** Only the receiver's origin: the path may contain secrets. */
  readonly receiver: string;
  readonly attempt: number;
  readonly outcome: WebhookOutcome | { readonly kind: "token-revoked" };
  /**
   * The first line of the response, at most 200 characters; `null` if there was no response. Here and in the outcome,
   * `[path]` replaces the path and query of the webhook's URL.
   */
  readonly response: string | null;
  readonly delivered: boolean;
  readonly retryAt: number | null;
}

/** A delivery claimed by this worker. */
export interface ClaimedDelivery {
  readonly batch: BatchRecord & { readonly webhookUrl: string };
  readonly delivery: Extract<DeliveryState, { readonly status: "sending" }>;
}

/** Claims a due delivery; returns `null` if another worker was first, or the batch is about to be deleted. */
export async function claimDelivery(
  dependencies: BatchDependencies,
  batchId: string,
): Promise<ClaimedDelivery | null> {
  const leaseEndsAt = dependencies.clock.now() + DELIVERY_LEASE_MS;
  const batch = await applyEvent(dependencies, batchId, { type: "delivery-claimed", leaseEndsAt });
  if (batch === null || batch.delivery?.status !== "sending" || batch.webhookUrl === null) return null;
  return { batch: { ...batch, webhookUrl: batch.webhookUrl }, delivery: batch.delivery };
}

/**
 * Attempts to deliver a finished batch's webhook. Delivery is at least once: if the acknowledgement cannot be stored,
 * another attempt follows, with the same id.
 *
 * @param signal aborts the attempt, which then does not count.
 */
export async function deliver(
  dependencies: BatchDependencies,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { batch, delivery } = claimed;
  const { fence, attempts } = delivery;
  const startedAt = dependencies.clock.now();
  const request = await prepareRequest(dependencies, claimed);
  // a webhook cannot be signed without the token's secret
  const outcome =
    request === null
      ? ({ kind: "token-revoked" } as const)
      : withoutPath(await dependencies.webhookSender.send({ ...request, signal }), batch.webhookUrl);
  const durationMs = Math.max(0, dependencies.clock.now() - startedAt);
  if (outcome.kind === "failed" && signal.aborted) {
    const retryAt = dependencies.clock.now();
    await applyEvent(dependencies, batch.id, { type: "delivery-released", fence, retryAt });
    return;
  }
  const delivered = isAcknowledged(outcome);
  const retryAt = delivered ? null : retryInstant(dependencies, outcome, delivery);
  const event: BatchEvent = delivered
    ? { type: "delivery-acknowledged", fence }
    : { type: "delivery-failed", fence, retryAt };
  await applyEvent(dependencies, batch.id, event);
  const { id: batchId, accountId, webhookUrl } = batch;
  const receiver = new URL(webhookUrl).origin;
  const response = outcome.kind === "responded" ? responseLine(outcome.body) : null;
  const result = { outcome, response, delivered, retryAt };
  dependencies.onDeliveryAttempt({ batchId, accountId, receiver, attempt: attempts, ...result });
  const record = { batchId, accountId, at: startedAt, attempt: attempts, durationMs, ...recordOf(outcome) };
  const id = `dlv_${orderedId(dependencies.random, { at: startedAt })}`;
  // the attempt was made, whether or not it can be looked up later
  await dependencies.batches.recordAttempt({ id, ...record }).catch(dependencies.onBackgroundError);
}

/** Returns whether the receiver responded with a 2xx. */
export function isAcknowledged(outcome: DeliveryAttempt["outcome"]): boolean {
  return outcome.kind === "responded" && outcome.status >= 200 && outcome.status < 300;
}

function withoutPath(outcome: WebhookOutcome, url: string): WebhookOutcome {
  return outcome.kind === "responded" ? { ...outcome, body: redactPath(outcome.body, url) } : outcome;
}

function recordOf(outcome: DeliveryAttempt["outcome"]): Pick<AttemptRecord, "status" | "failure" | "body"> {
  switch (outcome.kind) {
    case "responded":
      return { status: outcome.status, failure: null, body: storableText(outcome.body) };
    case "failed":
      return { status: null, failure: outcome.reason, body: null };
    case "token-revoked":
      return { status: null, failure: "token-revoked", body: null };
  }
}

/**
 * Returns the signed request; `null` if the token was revoked.
 *
 * @throws the storage's error, or an Error if the signing secret cannot be decrypted. The attempt then does not count,
 * unless the storage cannot record that. The next one follows when the lease expires.
 */
async function prepareRequest(
  dependencies: BatchDependencies,
  { batch, delivery: { fence, leaseEndsAt } }: ClaimedDelivery,
): Promise<WebhookRequest | null> {
  try {
    const principal = await dependencies.tokens.find(batch.tokenId);
    if (principal === null) return null;
    const { token } = principal;
    const document = await describeBatch(dependencies, { batch, token });
    return signRequest(dependencies, { url: batch.webhookUrl, document, token });
  } catch (error) {
    await applyEvent(dependencies, batch.id, { type: "delivery-released", fence, retryAt: leaseEndsAt });
    throw error;
  }
}

/** Returns when to retry; `null` after a 410, after the last delay, or if the token was revoked. */
function retryInstant(
  { clock, random, webhookRetryDelaysMs }: BatchDependencies,
  outcome: DeliveryAttempt["outcome"],
  { attempts }: DeliveryState,
): number | null {
  const delayMs = webhookRetryDelaysMs[attempts - 1];
  if (delayMs === undefined || outcome.kind === "token-revoked") return null;
  if (outcome.kind === "responded" && outcome.status === 410) return null;
  const retryAfterMs = outcome.kind === "responded" ? (outcome.retryAfterMs ?? 0) : 0;
  const [randomByte = 0] = random.bytes(1);
  const jitteredMs = Math.round(delayMs * (1 + (JITTER * randomByte) / 255));
  return clock.now() + Math.max(jitteredMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
