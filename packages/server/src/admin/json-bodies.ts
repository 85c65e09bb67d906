import type { Account, DeletedAccount, DeletionPreview, MintedToken, Plan } from "@snap/engine";
import { concealSecrets } from "@snap/engine/internals";
import type {
  AttemptRecord,
  BatchRecord,
  BatchSummary,
  DeliveryState,
  HistoryEntry,
  ItemRecord,
  ItemState,
  TokenRecord,
  UsageSum,
} from "@snap/engine/ports";
import {
  ERROR_CODES,
  type AdminAccount,
  type AdminBatch,
  type AdminBatchItem,
  type AdminBatchSummary,
  type AdminDeletedAccount,
  type AdminDeletionPreview,
  type AdminMintedToken,
  type AdminPlan,
  type AdminRequest,
  type AdminToken,
  type AdminUsage,
  type BatchSummaryDocument,
  type BatchWebhookDocument,
  type DeliveryAttemptDocument,
} from "@snap/protocol";
import { cacheStatus } from "../requests/rendering-facts.ts";

/*
 * The JSON documents of the admin API, the commands and the lists under `/v1/renders`. Instants are in ISO 8601.
 */

export function toAdminAccount(account: Account): AdminAccount {
  return {
    id: account.id,
    email: account.email,
    verified_at: isoInstant(account.emailVerifiedAt),
    plan: account.planSlug,
    credits_per_period: account.creditsPerPeriod,
    requests_per_minute: account.requestsPerMinute,
    created_at: isoInstant(account.createdAt),
    suspended_at: isoInstant(account.suspendedAt),
    deletion_started_at: isoInstant(account.deletionStartedAt),
  };
}

export function toAdminDeletedAccount({ journalEntries, ...deleted }: DeletedAccount): AdminDeletedAccount {
  return { deleted: true, ...deleted, journal_entries: journalEntries };
}

export function toAdminDeletionPreview(
  id: string,
  { preview: { account, tokens }, purge }: { readonly preview: DeletionPreview; readonly purge: boolean },
): AdminDeletionPreview {
  return {
    deleted: false,
    ...(account === null ? { id } : toAdminAccount(account)),
    token_ids: tokens.map((token) => token.id),
    purge,
  };
}

export function toAdminPlan(plan: Plan): AdminPlan {
  return {
    slug: plan.slug,
    name: plan.name,
    credits_per_period: plan.creditsPerPeriod,
    requests_per_minute: plan.requestsPerMinute,
  };
}

/** Contains no secrets. */
export function toAdminToken(record: TokenRecord): AdminToken {
  const { previous } = record;
  return {
    id: record.id,
    account_id: record.accountId,
    name: record.name,
    abilities: record.abilities,
    created_at: isoInstant(record.createdAt),
    expires_at: isoInstant(record.expiresAt),
    rotated_at: isoInstant(record.rotatedAt),
    overlap_ends_at: previous !== null && previous.endsAt > Date.now() ? isoInstant(previous.endsAt) : null,
    last_used_at: isoInstant(record.lastUsedAt),
  };
}

export function toAdminMintedToken({ record, token, signingSecret }: MintedToken): AdminMintedToken {
  return { ...toAdminToken(record), token, signing_secret: signingSecret };
}

export function toAdminBatch(batch: BatchRecord): AdminBatch {
  return { ...operatorFacts(batch), items: batch.items.map(toAdminBatchItem) };
}

export function toAdminBatchSummary(batch: BatchSummary): AdminBatchSummary {
  return { ...operatorFacts(batch), items: batch.items };
}

/** Contains only what token holders may see. */
export function toOwnBatchSummary(batch: BatchSummary): BatchSummaryDocument {
  return { ...batchFacts(batch), items: batch.items };
}

type Batch = Omit<BatchRecord, "items">;

function operatorFacts(batch: Batch): Omit<AdminBatchSummary, "items"> {
  const { delivery } = batch;
  const { id, webhook, ...facts } = batchFacts(batch);
  const leaseEndsAt = delivery?.status === "sending" ? delivery.leaseEndsAt : null;
  return {
    id,
    account_id: batch.accountId,
    token_id: batch.tokenId,
    ...facts,
    webhook: webhook && { ...webhook, lease_ends_at: isoInstant(leaseEndsAt) },
  };
}

function batchFacts(batch: Batch): Omit<BatchSummaryDocument, "items"> {
  return {
    id: batch.id,
    status: batch.finishedAt === null ? "pending" : "complete",
    created_at: isoInstant(batch.createdAt),
    finished_at: isoInstant(batch.finishedAt),
    prunes_at: isoInstant(batch.prunesAt),
    webhook:
      batch.webhookUrl === null ? null : { url: batch.webhookUrl, ...deliveryStateFields(batch.delivery) },
  };
}

function deliveryStateFields(delivery: DeliveryState | null): Omit<BatchWebhookDocument, "url"> {
  return {
    status: delivery?.status ?? "waiting",
    attempts: delivery?.attempts ?? 0,
    next_attempt_at: delivery?.status === "due" ? isoInstant(delivery.dueAt) : null,
    delivered_at: delivery?.deliveredAt === undefined ? null : isoInstant(delivery.deliveredAt),
  };
}

function toAdminBatchItem({ id, parameters, key, state }: ItemRecord): AdminBatchItem {
  return {
    id,
    url: parameters.url,
    // the stored secrets are encrypted, so readers could not use them anyway
    parameters: concealSecrets(parameters),
    cache_key: key,
    status: state.status,
    ...EMPTY_STATE,
    ...itemStateFields(state),
  };
}

type ItemStateFields = Omit<AdminBatchItem, "id" | "url" | "parameters" | "cache_key" | "status">;

const EMPTY_STATE: ItemStateFields = {
  error: null,
  etag: null,
  target_status: null,
  expires_at: null,
  credit_cost: null,
  notes: [],
  starts: null,
  fence: null,
  limited_since: null,
  due_at: null,
  lease_ends_at: null,
};

function itemStateFields(state: ItemState): Partial<ItemStateFields> {
  switch (state.status) {
    case "queued":
    case "rendering":
      return {
        starts: state.starts,
        fence: state.fence,
        limited_since: isoInstant(state.limitedSince),
        due_at: state.status === "queued" ? isoInstant(state.dueAt) : null,
        lease_ends_at: state.status === "rendering" ? isoInstant(state.leaseEndsAt) : null,
      };
    case "done":
      return {
        etag: state.etag,
        target_status: state.targetStatus,
        expires_at: isoInstant(state.expiresAt),
        credit_cost: state.creditCost,
        notes: state.notes ?? [],
      };
    case "failed":
      return {
        error: { code: state.code, message: state.message },
        credit_cost: 0,
        notes: state.notes ?? [],
      };
  }
}

export function toDeliveryAttempt(record: AttemptRecord): DeliveryAttemptDocument {
  const { status } = record;
  return {
    id: record.id,
    batch_id: record.batchId,
    at: isoInstant(record.at),
    attempt: record.attempt,
    duration_ms: record.durationMs,
    delivered: status !== null && status >= 200 && status < 300,
    status,
    failure: record.failure,
    body: record.body,
  };
}

export function toAdminRequest(entry: HistoryEntry): AdminRequest {
  const { code } = entry;
  return {
    id: entry.id,
    at: isoInstant(entry.at),
    request_id: entry.requestId,
    batch_id: entry.batchId,
    account_id: entry.accountId,
    token_id: entry.tokenId,
    entry_point: entry.entryPoint,
    mode: entry.mode,
    host: entry.host,
    parameters: entry.parameters,
    // a later release that uses the same storage may have more codes
    status: code === null ? 200 : ((ERROR_CODES as Partial<typeof ERROR_CODES>)[code]?.status ?? 500),
    code,
    message: entry.message,
    duration_ms: entry.durationMs,
    cache: cacheStatus(entry.cache),
    credit_cost: entry.creditCost,
    etag: entry.etag,
    bytes: entry.bytes,
    target_status: entry.targetStatus,
    notes: entry.notes,
    expires_at: isoInstant(entry.expiresAt),
  };
}

export function toAdminUsage(sum: UsageSum): AdminUsage {
  const { renders, renderMs } = sum;
  return {
    day: sum.day,
    account_id: sum.accountId,
    token_id: sum.tokenId,
    renders,
    hits: sum.hits,
    failures: sum.failures,
    credits: sum.credits,
    mean_render_ms: renders === 0 ? null : Math.round(renderMs / renders),
    longest_render_ms: sum.longestRenderMs,
  };
}

/** Formats an instant in ISO 8601. */
export function isoInstant<Instant extends number | null>(
  instant: Instant,
): Instant extends null ? null : string;
export function isoInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
