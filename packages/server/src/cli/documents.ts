import type { Account } from "@snap/engine";
import type {
  BatchRecord,
  BatchSummary,
  DeliveryState,
  ItemRecord,
  ItemState,
  TokenRecord,
} from "@snap/engine/ports";
import { secretsIn } from "@snap/protocol";

/** JSON output of an account; instants are ISO 8601. */
export function accountDocument(account: Account): Readonly<Record<string, unknown>> {
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

/** Instant until which the secrets from before the last rotation work; `null` if they no longer do. */
export function overlapEndOf({ previous }: TokenRecord): number | null {
  return previous !== null && previous.endsAt > Date.now() ? previous.endsAt : null;
}

/** JSON output of a token, without its secrets. */
export function tokenDocument(record: TokenRecord): Readonly<Record<string, unknown>> {
  return {
    id: record.id,
    account_id: record.accountId,
    name: record.name,
    abilities: record.abilities,
    created_at: isoInstant(record.createdAt),
    expires_at: isoInstant(record.expiresAt),
    rotated_at: isoInstant(record.rotatedAt),
    overlap_ends_at: isoInstant(overlapEndOf(record)),
    last_used_at: isoInstant(record.lastUsedAt),
  };
}

/** JSON output of a batch, with the state of its queue and its delivery. */
export function batchDocument(batch: BatchRecord): Readonly<Record<string, unknown>> {
  return { ...batchFacts(batch), items: batch.items.map(itemDocument) };
}

/** JSON output of a batch in a list; `items` is the number of items in each state. */
export function batchSummaryDocument(batch: BatchSummary): Readonly<Record<string, unknown>> {
  return { ...batchFacts(batch), items: batch.items };
}

function batchFacts(batch: Omit<BatchRecord, "items">): Readonly<Record<string, unknown>> {
  return {
    id: batch.id,
    account_id: batch.accountId,
    token_id: batch.tokenId,
    status: batch.finishedAt === null ? "pending" : "complete",
    created_at: isoInstant(batch.createdAt),
    finished_at: isoInstant(batch.finishedAt),
    prunes_at: isoInstant(batch.prunesAt),
    webhook:
      batch.webhookUrl === null ? null : { url: batch.webhookUrl, ...deliveryDocument(batch.delivery) },
  };
}

function deliveryDocument(delivery: DeliveryState | null): Readonly<Record<string, unknown>> {
  return {
    // The batch is not complete yet.
    status: delivery?.status ?? "waiting",
    attempts: delivery?.attempts ?? 0,
    next_attempt_at: delivery?.status === "due" ? isoInstant(delivery.dueAt) : null,
    lease_ends_at: delivery?.status === "sending" ? isoInstant(delivery.leaseEndsAt) : null,
    delivered_at: delivery?.status === "delivered" ? isoInstant(delivery.deliveredAt) : null,
  };
}

function itemDocument({ id, parameters, key, state }: ItemRecord): Readonly<Record<string, unknown>> {
  return {
    id,
    url: parameters.url,
    parameters: concealSecrets(parameters),
    cache_key: key,
    status: state.status,
    ...stateDocument(state),
  };
}

/** They are encrypted, which is of no use to a reader. */
function concealSecrets(parameters: ItemRecord["parameters"]): ItemRecord["parameters"] {
  const concealed = secretsIn(parameters).map((name) => [name, "[secret]"] as const);
  return { ...parameters, ...Object.fromEntries(concealed) };
}

function stateDocument(state: ItemState): Readonly<Record<string, unknown>> {
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

/** An instant in ISO 8601. */
export function isoInstant<Instant extends number | null>(
  instant: Instant,
): Instant extends null ? null : string;
export function isoInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
