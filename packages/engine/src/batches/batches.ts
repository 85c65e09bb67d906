import { BATCH_LIMITS, type BatchItem, type RenderBatch } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { enforceRateLimit } from "../limits/enforce-rate-limit.ts";
import type { BatchFilter, BatchStats, BatchRecord, BatchSummary, ItemRecord } from "../ports/batches.ts";
import type { Page, PageRequest } from "../ports/page.ts";
import type { Random } from "../ports/random.ts";
import type { Principal, TokenRecord } from "../ports/tokens.ts";
import { requireAbility, requireVerifiedEmail } from "../tokens/authorize.ts";
import type { BatchParts } from "./batch-parts.ts";
import { batchNotFound, redeliver } from "./redeliver.ts";
import { sealSecrets } from "./item-secrets.ts";
import { parseSubmission, type SubmittedItem } from "./parse-submission.ts";

/** Context for the document of a batch. */
export interface BatchView {
  readonly now: number;
  readonly retentionMs: number;
  /** Returns the signed URL of an item's rendering, or `null` if it would not work. */
  readonly linkOf: (item: ItemRecord) => string | null;
}

/** Returns the document for submission, polling and the webhook. */
function toRenderBatch(batch: BatchRecord, { now, retentionMs, linkOf }: BatchView): RenderBatch {
  const { webhookUrl, delivery } = batch;
  return {
    id: batch.id,
    status: batch.finishedAt === null ? "pending" : "complete",
    created_at: toDateTime(batch.createdAt),
    finished_at: batch.finishedAt === null ? null : toDateTime(batch.finishedAt),
    // while it is unfinished, the earliest possible instant
    prunes_at: toDateTime(batch.prunesAt ?? now + retentionMs),
    webhook:
      webhookUrl === null
        ? null
        : {
            url: webhookUrl,
            delivered_at: delivery?.status === "delivered" ? toDateTime(delivery.deliveredAt) : null,
          },
    items: batch.items.map((item) => toBatchItem(item, linkOf(item))),
  };
}

function toBatchItem({ id, parameters: { url }, state }: ItemRecord, link: string | null): BatchItem {
  const empty = { error: null, etag: null, target_status: null, expires_at: null, signed_url: null };
  switch (state.status) {
    case "queued":
    case "rendering":
      return { id, url, status: state.status, ...empty, credit_cost: null };
    case "failed": {
      const { code, message, notes } = state;
      const error = { code, message };
      return { id, url, status: "failed", ...empty, error, credit_cost: 0, ...(notes && { notes }) };
    }
    case "done":
      return {
        id,
        url,
        status: "done",
        error: null,
        etag: state.etag,
        target_status: state.targetStatus,
        expires_at: toDateTime(state.expiresAt),
        signed_url: link,
        credit_cost: state.creditCost,
        ...(state.notes && { notes: state.notes }),
      };
  }
}

function toDateTime(instant: number): string {
  return new Date(instant).toISOString();
}

/** Captures that are submitted together and fetched later. */
export interface Batches {
  /**
   * Queues 1 to 20 captures for a worker. If one item is invalid, the whole submission is rejected and counts against no
   * limit.
   *
   * @param document the body of `POST /renders`: `{ items: [{ url, … }], webhookUrl? }`.
   * @throws SnapError `validation_failed`, `blocked_host`, `email_unverified`, `missing_ability`,
   * `rate_limited` (10 submissions a minute).
   */
  submit(submission: { readonly principal: Principal; readonly document: unknown }): Promise<RenderBatch>;
  /**
   * Returns the current state of the batch. Costs no credit and counts against no limit.
   * @throws SnapError `email_unverified`; `not_found` if the batch is unknown, deleted, or of another account.
   */
  get(request: { readonly principal: Principal; readonly batchId: string }): Promise<RenderBatch>;
  /** Returns the stored record of a batch, for the operator; `null` if it does not exist. */
  inspect(batchId: string): Promise<BatchRecord | null>;
  /**
   * Returns selected batches, the last submitted first, for the operator.
   * @throws AdminError if `after` is not a batch.
   */
  page(request: PageRequest & BatchFilter): Promise<Page<BatchSummary>>;
  /**
   * Makes the webhook of a finished batch due again, whether it was delivered, given up or waits for its next attempt. A
   * worker sends it with the same id and a new signature. After one that was delivered or given up, the attempts start over.
   * @throws AdminError if the batch is unknown, or its webhook cannot be sent.
   */
  redeliver(batchId: string): Promise<BatchRecord>;
  stats(): Promise<BatchStats>;
}

export function createBatches(parts: BatchParts): Batches {
  const { batches, rateLimiter, clock } = parts;
  return {
    async submit({ principal: { account, token }, document }) {
      requireVerifiedEmail(account);
      const { items, webhookUrl } = parseSubmission(document, parts);
      for (const { parameters } of items) requireAbility(token, parameters.pdf ? "pdf" : "screenshot");
      const now = clock.now();
      const limit = BATCH_LIMITS.submissionsPerMinute;
      await enforceRateLimit(rateLimiter, { accountId: account.id, name: "submission", limit, now });
      const batch: BatchRecord = {
        id: makeId(parts.random, "batch"),
        accountId: account.id,
        tokenId: token.id,
        webhookUrl,
        createdAt: now,
        finishedAt: null,
        prunesAt: null,
        items: items.map((item) => toItemRecord(parts, { item, now })),
        delivery: null,
      };
      await batches.insert(batch);
      parts.onSubmitted();
      return describeBatch(parts, { batch, token });
    },
    async get({ principal: { account, token }, batchId }) {
      requireVerifiedEmail(account);
      const batch = await batches.find(batchId);
      const isPruned = batch?.prunesAt != null && batch.prunesAt <= clock.now();
      if (batch === null || batch.accountId !== account.id || isPruned)
        throw new SnapError("not_found", "Batch not found: the id is unknown, or the batch was deleted.");
      return describeBatch(parts, { batch, token });
    },
    inspect: (batchId) => batches.find(batchId),
    async page(request) {
      const { after } = request;
      // a page after an unknown batch would be empty, as if there were no more
      if (after !== undefined && (await batches.find(after)) === null) throw batchNotFound(after);
      return batches.page(request);
    },
    redeliver: (batchId) => redeliver(parts, batchId),
    stats: () => batches.stats({ now: clock.now() }),
  };
}

/** Returns the document of a batch, with URLs signed by `token`. */
export async function describeBatch(
  parts: BatchParts,
  { batch, token }: { readonly batch: BatchRecord; readonly token: TokenRecord },
): Promise<RenderBatch> {
  const linkOf = await parts.linkItems({ batch, token });
  return toRenderBatch(batch, { now: parts.clock.now(), retentionMs: parts.rules.retentionMs, linkOf });
}

function toItemRecord(
  { random, seal, cacheKey }: BatchParts,
  { item: { sent, parameters }, now }: { readonly item: SubmittedItem; readonly now: number },
): ItemRecord {
  return {
    id: makeId(random, "item"),
    parameters: sealSecrets(sent, seal),
    key: cacheKey(parameters),
    state: { status: "queued", dueAt: now, starts: 0, fence: 0, limitedSince: null },
  };
}

function makeId(random: Random, kind: "batch" | "item"): string {
  return `${kind}_${Buffer.from(random.bytes(12)).toString("hex")}`;
}
