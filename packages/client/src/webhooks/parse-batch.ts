import type { RenderBatch } from "@snap/protocol";
import { WebhookError } from "./webhook-error.ts";

/** The batch in a verified body. Members that are newer than this package are left in it. */
export function parseBatch(body: Uint8Array): RenderBatch {
  let cause: unknown;
  try {
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (isBatch(document)) return document;
  } catch (error) {
    cause = error;
  }
  throw new WebhookError("invalid_body", "The delivery is genuine, but its body is not a batch.", { cause });
}

/** What everything else hangs on; the rest is the service's word, which the signature vouches for. */
function isBatch(document: unknown): document is RenderBatch {
  return (
    hasTexts(document, ["id", "status"]) &&
    Array.isArray(document["items"]) &&
    document["items"].every((item) => hasTexts(item, ["id", "url", "status"]))
  );
}

function hasTexts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "string")
  );
}
