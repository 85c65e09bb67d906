import type { SnapParameters } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { randomHex } from "../ids.ts";
import type { ByteBudget } from "../limits/byte-budget.ts";
import type { Clock } from "../ports/clock.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { Random } from "../ports/random.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import { objectKeyOf, type ObjectKeyOf } from "./object-key.ts";
import { requireStore, type NamedStores } from "./stores.ts";

export interface DeliveryDependencies {
  readonly stores: NamedStores;
  /** Limits the bytes of the renderings being stored, because a store can be slow. */
  readonly deliveryBudget: ByteBudget;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where a rendering has to be stored, besides the cache. */
export interface Delivery {
  readonly accountId: string;
  readonly storeName: string;
  readonly store: ObjectStore;
  readonly keyOf: ObjectKeyOf;
}

export interface DeliveryRequest {
  readonly accountId: string;
  readonly parameters: SnapParameters;
  /** For `{id}`; a new id by default. */
  readonly requestId: string | undefined;
  /** For `{date}`; now by default. */
  readonly requestedAt: number | undefined;
}

/**
 * Checks where the rendering has to be stored; returns `null` if nowhere.
 *
 * @throws SnapError `validation_failed` for an unknown store or an invalid key.
 */
export function prepareDelivery(
  { stores, clock, random }: DeliveryDependencies,
  { accountId, parameters, requestId, requestedAt = clock.now() }: DeliveryRequest,
): Delivery | null {
  const { storeTo: storeName } = parameters;
  const store = requireStore(parameters, { stores, accountId });
  if (store === null || storeName === undefined) return null;
  const id = requestId ?? randomHex(random, 16);
  return { accountId, storeName, store, keyOf: objectKeyOf(parameters, { accountId, id, requestedAt }) };
}

/**
 * Stores the rendering; returns its location, or `null` without a delivery.
 *
 * @throws SnapError `store_failed`, or `upstream_rate_limited` if too many renderings are being stored.
 */
export async function deliver(
  { deliveryBudget }: DeliveryDependencies,
  delivery: Delivery | null,
  { bytes, etag, contentType }: StoredRendering,
): Promise<string | null> {
  if (delivery === null) return null;
  const { accountId, storeName, store, keyOf } = delivery;
  const release = deliveryBudget.take(accountId, bytes.byteLength);
  if (release === null)
    throw new SnapError("upstream_rate_limited", "Too many renderings are being stored. Retry shortly.");
  try {
    // the entity tag is the quoted SHA-256
    const outcome = await store.put({
      key: keyOf(contentType),
      bytes,
      sha256: etag.slice(1, -1),
      contentType,
    });
    if ("location" in outcome) return outcome.location;
    const { reason, detail } = outcome.failure;
    throw new SnapError("store_failed", MESSAGES[reason], {
      detail: `store ${storeName}: ${detail}`,
      isTransient: reason !== "refused",
    });
  } finally {
    release();
  }
}

const MESSAGES = {
  refused: "The store refused the rendering, so nothing was charged. The operator has to check the store.",
  unavailable: "The store is not available, so nothing was charged. Retry shortly.",
  "timed-out": "The store did not respond in time, so nothing was charged. Retry shortly.",
} as const;
