import type { BatchItem, RenderBatch } from "@snap/protocol";
import type { BatchRecord, ItemRecord } from "../ports/batches.ts";
import type { TokenRecord } from "../ports/tokens.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";

/** Returns a batch's JSON document, with URLs signed by `token`. */
export async function describeBatch(
  dependencies: BatchDependencies,
  { batch, token }: { readonly batch: BatchRecord; readonly token: TokenRecord },
): Promise<RenderBatch> {
  const linkOf = await dependencies.linkItems({ batch, token });
  return toRenderBatch(batch, {
    now: dependencies.clock.now(),
    retentionMs: dependencies.rules.retentionMs,
    linkOf,
  });
}

/** Context for a batch's JSON document. */
interface BatchView {
  readonly now: number;
  readonly retentionMs: number;
  /** Returns the signed URL of an item's rendering, or `null` if it would not work. */
  readonly linkOf: (item: ItemRecord) => string | null;
}

/** Returns the JSON document for the submission, polls and the webhook. */
function toRenderBatch(batch: BatchRecord, { now, retentionMs, linkOf }: BatchView): RenderBatch {
  const { webhookUrl, delivery } = batch;
  return {
    id: batch.id,
    status: batch.finishedAt === null ? "pending" : "complete",
    created_at: toDateTime(batch.createdAt),
    finished_at: batch.finishedAt === null ? null : toDateTime(batch.finishedAt),
    // for an unfinished batch, the earliest possible instant
    prunes_at: toDateTime(batch.prunesAt ?? now + retentionMs),
    webhook:
      webhookUrl === null
        ? null
        : {
            url: webhookUrl,
            delivered_at: delivery?.deliveredAt === undefined ? null : toDateTime(delivery.deliveredAt),
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
        expires_at: state.expiresAt === null ? null : toDateTime(state.expiresAt),
        signed_url: link,
        credit_cost: state.creditCost,
        ...(state.notes && { notes: state.notes }),
        ...(state.storedLocation !== undefined && { stored_location: state.storedLocation }),
      };
  }
}

function toDateTime(instant: number): string {
  return new Date(instant).toISOString();
}
