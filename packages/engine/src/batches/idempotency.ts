import { BATCH_LIMITS, DEFAULT_STORE_KEY } from "@snap/protocol";
import { hash } from "node:crypto";
import { SnapError } from "../errors.ts";
import type { IdempotencyClaim } from "../ports/batches.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";
import type { Submission } from "./parse-submission.ts";

/**
 * Returns the claim on an idempotency key. The digest covers the webhook's URL and the captures in order: the cache key
 * of each, and where it is stored. So neither the order of an item's parameters nor an explicit default matters.
 */
export function createClaim(
  { cacheKey }: Pick<BatchDependencies, "cacheKey">,
  {
    idempotencyKey,
    submission: { items, webhookUrl },
    now,
  }: { readonly idempotencyKey: string; readonly submission: Submission; readonly now: number },
): IdempotencyClaim {
  const captures = items.map(({ parameters }) => {
    const { storeTo = null, storeKey = DEFAULT_STORE_KEY } = parameters;
    return [cacheKey(parameters), storeTo, storeKey === DEFAULT_STORE_KEY ? null : storeKey];
  });
  const content = [webhookUrl, captures];
  return {
    keyHash: hash("sha256", idempotencyKey, "hex"),
    digest: hash("sha256", JSON.stringify(content), "hex"),
    expiresAt: now + BATCH_LIMITS.idempotencyKeyMs,
  };
}

export function idempotencyMismatch(): SnapError {
  const message =
    "The idempotency key was used for a different submission in the last 24 hours; use a new key, or send the same items and webhookUrl.";
  return new SnapError("idempotency_mismatch", message);
}
