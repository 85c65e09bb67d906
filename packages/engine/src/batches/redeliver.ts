import { AdminError, SnapError } from "../errors.ts";
import type { BatchRecord } from "../ports/batches.ts";
import { applyEvent, type BatchDependencies } from "./batch-dependencies.ts";

/** Makes a finished batch's webhook due again, for the operator; a worker sends it. */
export async function redeliver(dependencies: BatchDependencies, batchId: string): Promise<BatchRecord> {
  const batch = await dependencies.batches.find(batchId);
  if (batch === null) throw batchNotFound(batchId);
  const changed = await requestDelivery(dependencies, batch);
  if (typeof changed !== "string") return changed;
  const { message, advice } = describeRejection(changed, batch);
  throw new AdminError(message, { code: "cannot_redeliver", advice });
}

/** Makes a finished batch's webhook due again, for a caller. */
export async function resend(dependencies: BatchDependencies, batch: BatchRecord): Promise<BatchRecord> {
  const changed = await requestDelivery(dependencies, batch);
  if (typeof changed !== "string") return changed;
  const message = REJECTIONS[changed];
  throw new SnapError("validation_failed", message, { errors: { id: [message] } });
}

export function batchNotFound(batchId: string): AdminError {
  return new AdminError(`unknown batch ${batchId}`, {
    code: "batch_not_found",
    advice:
      "`snap-server batches list` lists all batches; finished ones are deleted after SNAP_BATCH_RETENTION",
  });
}

type Rejection = "no-webhook" | "unfinished" | "token-revoked" | "busy";

/** Returns the changed batch, or why its webhook cannot be sent. */
async function requestDelivery(
  dependencies: BatchDependencies,
  batch: BatchRecord,
): Promise<BatchRecord | Rejection> {
  if (batch.webhookUrl === null) return "no-webhook";
  if (batch.finishedAt === null) return "unfinished";
  if ((await dependencies.tokens.find(batch.tokenId)) === null) return "token-revoked";
  return (await applyEvent(dependencies, batch.id, { type: "delivery-requested" })) ?? "busy";
}

const REJECTIONS: Readonly<Record<Rejection, string>> = {
  "no-webhook": "This batch has no webhook; submit it with webhookUrl.",
  unfinished: "This batch is not complete; its webhook is sent when every item is finished.",
  "token-revoked": "The token that signs this batch's webhook was revoked; fetch the batch instead.",
  busy: "This batch's webhook is being sent, or the batch is about to be deleted; look at its deliveries.",
};

function describeRejection(
  rejection: Rejection,
  { id, tokenId }: BatchRecord,
): { readonly message: string; readonly advice: string | null } {
  switch (rejection) {
    case "no-webhook":
      return { message: `batch ${id} has no webhook`, advice: null };
    case "unfinished":
      return {
        message: `batch ${id} is not complete`,
        advice: "its webhook is sent when every item is finished",
      };
    case "token-revoked":
      return {
        message: `token ${tokenId}, which signs batch ${id}'s webhook, was revoked`,
        advice: "the receiver can fetch the batch with another of the account's tokens",
      };
    case "busy":
      return {
        message: `batch ${id}'s webhook is being sent, or the batch is about to be deleted`,
        advice: `see \`snap-server batches show ${id}\``,
      };
  }
}
