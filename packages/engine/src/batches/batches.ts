import { BATCH_LIMITS, type BatchItem, buildSignedUrl, type RenderBatch, toQuery } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { enforceRateLimit } from "../limits/enforce-rate-limit.ts";
import { cacheKey } from "../parameters/cache-key.ts";
import type { BatchFigures, BatchRecord, ItemRecord } from "../ports/batches.ts";
import type { Random } from "../ports/random.ts";
import type { Principal, TokenRecord } from "../ports/tokens.ts";
import { requireAbility, requireVerifiedEmail } from "../tokens/authorize.ts";
import type { BatchParts } from "./batch-parts.ts";
import { parseSubmission, type SubmittedItem } from "./parse-submission.ts";

/** The batch as its owner sees it (interface.md, Render batch). */
export interface BatchView {
  readonly now: number;
  readonly retentionMs: number;
  /** The signed URL of an item's rendering, or `null` where it would not work. */
  readonly linkOf: (item: ItemRecord) => string | null;
}

/** The document that submission, polling and the webhook give. */
function toRenderBatch(batch: BatchRecord, { now, retentionMs, linkOf }: BatchView): RenderBatch {
  const { webhookUrl, delivery } = batch;
  return {
    id: batch.id,
    status: batch.finishedAt === null ? "pending" : "complete",
    created_at: toDateTime(batch.createdAt),
    finished_at: batch.finishedAt === null ? null : toDateTime(batch.finishedAt),
    // While it runs, the earliest it could go.
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
  const unknown = { error: null, etag: null, target_status: null, expires_at: null, signed_url: null };
  switch (state.status) {
    case "queued":
    case "rendering":
      return { id, url, status: state.status, ...unknown, credit_cost: null };
    case "failed": {
      const { code, message } = state;
      return { id, url, status: "failed", ...unknown, error: { code, message }, credit_cost: 0 };
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
      };
  }
}

function toDateTime(instant: number): string {
  return new Date(instant).toISOString();
}

/**
 * Finds which renderings of a batch can be fetched by a signed URL, and signs those for `token`: the
 * item is done, its very copy is still cached, and the token may fetch it. A link ends with the copy,
 * or with the token (interface.md, `signed_url`).
 */
async function linkRenderings(
  { renderings, seal, baseUrl }: BatchParts,
  { batch, token, now }: { readonly batch: BatchRecord; readonly token: TokenRecord; readonly now: number },
): Promise<(item: ItemRecord) => string | null> {
  const links = new Map<string, string>();
  if (baseUrl === null || !batch.items.some(({ state }) => state.status === "done")) return () => null;
  const signingSecret = seal.open(token.sealedSigningSecret);
  await Promise.all(
    batch.items.map(async ({ id, key, parameters, state }) => {
      if (
        state.status !== "done" ||
        !token.abilities.includes(parameters["pdf"] === true ? "pdf" : "screenshot")
      )
        return;
      const kept = await renderings.peek({ accountId: batch.accountId, key, now });
      if (kept === null || kept.etag !== state.etag) return;
      const endsAt = Math.min(kept.expiresAt, state.expiresAt, token.expiresAt ?? Infinity);
      const expires = Math.floor(endsAt / 1000);
      if (expires * 1000 <= now) return;
      links.set(
        id,
        buildSignedUrl(toQuery(parameters), { baseUrl, tokenId: token.id, signingSecret, expires }),
      );
    }),
  );
  return ({ id }) => links.get(id) ?? null;
}

/** Captures that are queued together and collected later. */
export interface Batches {
  /**
   * Queues 1 to 20 captures; nothing renders yet. Refused as a whole or not at all; a refusal spends
   * nothing (interface.md, POST /renders).
   *
   * @param document The body of `POST /renders`: `{ items: [{ url, … }], webhookUrl? }`.
   * @throws SnapError `validation_failed`, `blocked_host`, `email_unverified`, `missing_ability`,
   * `rate_limited` (10 submissions a minute).
   */
  submit(submission: { readonly principal: Principal; readonly document: unknown }): Promise<RenderBatch>;
  /**
   * Returns the batch in its current state. Renders nothing, and no rate limit applies.
   * @throws SnapError `email_unverified`; `not_found`: unknown, another account's, or pruned.
   */
  get(asked: { readonly principal: Principal; readonly batchId: string }): Promise<RenderBatch>;
  /** For the operator: everything that is kept of a batch; `null` when there is none. */
  inspect(batchId: string): Promise<BatchRecord | null>;
  figures(): Promise<BatchFigures>;
}

export function createBatches(parts: BatchParts): Batches {
  const { batches, rateLimiter, clock } = parts;
  return {
    async submit({ principal: { account, token }, document }) {
      requireVerifiedEmail(account);
      const { items, webhookUrl } = parseSubmission(document, parts.targets);
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
        items: items.map((item) => toItemRecord(item, { now, random: parts.random })),
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
    figures: () => batches.figures({ now: clock.now() }),
  };
}

/** The document of a batch, its links signed for `token`. */
export async function describeBatch(
  parts: BatchParts,
  { batch, token }: { readonly batch: BatchRecord; readonly token: TokenRecord },
): Promise<RenderBatch> {
  const now = parts.clock.now();
  const linkOf = await linkRenderings(parts, { batch, token, now });
  return toRenderBatch(batch, { now, retentionMs: parts.rules.retentionMs, linkOf });
}

function toItemRecord(
  { sent, parameters }: SubmittedItem,
  { now, random }: { readonly now: number; readonly random: Random },
): ItemRecord {
  return {
    id: makeId(random, "item"),
    parameters: sent,
    key: cacheKey(parameters),
    state: { status: "queued", dueAt: now, starts: 0, fence: 0, limitedSince: null },
  };
}

function makeId(random: Random, kind: "batch" | "item"): string {
  return `${kind}_${Buffer.from(random.bytes(12)).toString("hex")}`;
}
