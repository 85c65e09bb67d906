import type { RenderBatch } from "@snap/protocol";
import { WebhookError } from "./webhook-error.ts";

/** The batch in a verified body. Members that are newer than this package are left in it. */
export function parseBatch(body: Uint8Array): RenderBatch {
  const document = parseJson(body);
  if (!isBatch(document))
    throw new WebhookError("invalid_body", "The delivery is genuine, but its body is not a batch.");
  return document;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new WebhookError("invalid_body", "The delivery is genuine, but its body is not JSON.", { cause });
  }
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
