import { AdminError } from "../errors.ts";
import type { BatchRecord } from "../ports/batches.ts";
import { applyEvent, type BatchParts } from "./batch-parts.ts";

/** Makes the webhook of a finished batch due again; a worker sends it. */
export async function redeliver(parts: BatchParts, batchId: string): Promise<BatchRecord> {
  const batch = await parts.batches.find(batchId);
  if (batch === null) throw batchNotFound(batchId);
  if (batch.webhookUrl === null) throw cannotRedeliver(`batch ${batchId} has no webhook`);
  if (batch.finishedAt === null)
    throw cannotRedeliver(
      `batch ${batchId} is not complete`,
      "its webhook is sent when every item is finished",
    );
  if ((await parts.tokens.find(batch.tokenId)) === null)
    throw cannotRedeliver(
      `token ${batch.tokenId}, which signs the webhook of batch ${batchId}, was revoked`,
      "the receiver can fetch the batch with another token of the account",
    );
  const changed = await applyEvent(parts, batchId, { type: "delivery-requested" });
  if (changed === null)
    throw cannotRedeliver(
      `the webhook of batch ${batchId} is being sent, or the batch is about to be deleted`,
      `see \`snap-server batches show ${batchId}\``,
    );
  return changed;
}

export function batchNotFound(batchId: string): AdminError {
  return new AdminError(`unknown batch ${batchId}`, {
    code: "batch_not_found",
    advice: "`snap-server batches list` lists them; finished ones are deleted after SNAP_BATCH_RETENTION",
  });
}

function cannotRedeliver(message: string, advice: string | null = null): AdminError {
  return new AdminError(message, { code: "cannot_redeliver", advice });
}
