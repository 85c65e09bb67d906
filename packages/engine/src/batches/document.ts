import type { BatchItem, RenderBatch } from "@snap/protocol";
import type { BatchRecord, ItemRecord } from "../ports/batches.ts";

/** The batch as its owner sees it (interface.md, Render batch). */
export interface BatchView {
  readonly now: number;
  readonly retentionMs: number;
  /** The signed URL of an item's rendering, or `null` where it would not work. */
  readonly linkOf: (item: ItemRecord) => string | null;
}

/** The document that submission, polling and the webhook give. */
export function toRenderBatch(batch: BatchRecord, { now, retentionMs, linkOf }: BatchView): RenderBatch {
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
