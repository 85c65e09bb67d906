import type { BatchRecord, BatchStore, DeliveryState, ItemState } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { createFakeRandom } from "../fakes/random.ts";
import { createBatchStore } from "../memory/batches.ts";
import { createLedger } from "../memory/ledger.ts";
import { DONE, FAILED, sampleBatch, sampleItem, SUBMITTED_AT } from "./batch-samples.ts";

const MODEL_STEPS = 400;
const ACCOUNT_IDS = ["acct_1", "acct_2", "acct_3"];

/** Makes the same random calls to the store and to the in-memory model, and compares every result. */
export async function runBatchesAgainstModel(
  batches: BatchStore,
  { seed }: { readonly seed: number },
): Promise<void> {
  const model = createBatchStore({ ledger: createLedger(), deletions: new Map() });
  const next = randomCalls(seed);
  for (let step = 0; step < MODEL_STEPS; step += 1) {
    const call = next();
    const where = `seed ${seed}, step ${step}: ${call.text}`;
    assert.deepEqual(await call.make(batches), await call.make(model), where);
  }
}

interface Call {
  readonly text: string;
  make(batches: BatchStore): Promise<unknown>;
}

/** Uses few accounts, and times that are close together, so that ties occur. */
function randomCalls(seed: number): () => Call {
  const random = createFakeRandom(seed);
  const randomBelow = (count: number): number => new DataView(random.bytes(4).buffer).getUint32(0) % count;
  let now = SUBMITTED_AT;
  let batchCount = 0;

  const accountId = (): string => ACCOUNT_IDS[randomBelow(ACCOUNT_IDS.length)] ?? "acct_1";
  const soon = (): number => now + randomBelow(20);
  const unfinished = (): ItemState => {
    const rest = {
      starts: randomBelow(3),
      fence: randomBelow(5),
      limitedSince: randomBelow(2) === 0 ? null : now,
    };
    return randomBelow(2) === 0
      ? { status: "queued", dueAt: soon(), ...rest }
      : { status: "rendering", leaseEndsAt: soon(), ...rest };
  };
  const delivery = (): DeliveryState => {
    const rest = { attempts: randomBelow(8), fence: randomBelow(8) };
    if (randomBelow(3) === 0) return { status: "delivered", deliveredAt: now, attempts: rest.attempts };
    return randomBelow(2) === 0
      ? { status: "due", dueAt: soon(), ...rest }
      : { status: "sending", leaseEndsAt: soon(), ...rest };
  };
  const call = (name: string, request: object, make: Call["make"]): Call => ({
    text: `${name} ${JSON.stringify(request)}`,
    make,
  });

  const insert = (): Call => {
    batchCount += 1;
    const items = Array.from({ length: 1 + randomBelow(4) }, (_, index) =>
      sampleItem({ id: `item_${index}`, state: unfinished() }),
    );
    const batch = sampleBatch({ id: `batch_${batchCount}`, accountId: accountId(), createdAt: now, items });
    const keyHash = String(randomBelow(4));
    const claim =
      keyHash === "0"
        ? undefined
        : { keyHash, digest: String(randomBelow(2)), expiresAt: now + randomBelow(40) };
    return call("insert", { ...batch, claim }, (batches) => batches.insert(batch, claim));
  };
  const change = (): Call => {
    // one of the latest, or an unknown one
    const batchId = `batch_${Math.max(1, batchCount + 1 - randomBelow(12))}`;
    const request = { batchId, now };
    const itemId = `item_${randomBelow(4)}`;
    const states = [unfinished(), randomBelow(4) === 0 ? FAILED : DONE];
    const state = states[randomBelow(2)] ?? DONE;
    const end = { finishedAt: now, prunesAt: soon(), delivery: randomBelow(4) === 0 ? null : delivery() };
    const update = (batch: BatchRecord): BatchRecord | null => applyChange(batch, { itemId, state, end });
    return call("change", { ...request, itemId, state, end }, (batches) =>
      batches.change({ ...request, change: update }),
    );
  };

  return () => {
    now += randomBelow(6);
    const kind = randomBelow(12);
    if (kind < 3) return insert();
    if (kind < 8) return change();
    // a limit could fall between records with the same timestamp, whose order is unspecified
    const all = { now, limit: MODEL_STEPS };
    if (kind === 8) return call("prune", all, (batches) => batches.prune(all));
    if (kind === 9)
      return call("dueDeliveries", all, async (batches) => {
        // deliveries that are due at the same time come in unspecified order
        const due = await batches.dueDeliveries({ ...all, exceptAccounts: [] });
        return due.map((record) => record.accountId).toSorted();
      });
    if (kind === 10) return call("stats", { now }, (batches) => batches.stats({ now }));
    const request = { now, limit: randomBelow(6) };
    const exceptAccounts = randomBelow(3) === 0 ? [accountId()] : [];
    return call("dueItems", { ...request, exceptAccounts }, (batches) =>
      batches.dueItems({ ...request, exceptAccounts }),
    );
  };
}

/** Changes an unfinished item, and finishes the batch with its last one; in a finished batch, changes the delivery. */
function applyChange(
  batch: BatchRecord,
  {
    itemId,
    state,
    end,
  }: {
    readonly itemId: string;
    readonly state: ItemState;
    readonly end: Pick<BatchRecord, "finishedAt" | "prunesAt" | "delivery">;
  },
): BatchRecord | null {
  if (batch.finishedAt !== null)
    return batch.delivery === null || end.delivery === null ? null : { ...batch, delivery: end.delivery };
  if (!batch.items.some((item) => item.id === itemId && "fence" in item.state)) return null;
  const items = batch.items.map((item) => (item.id === itemId ? { ...item, state } : item));
  return items.some((item) => "fence" in item.state) ? { ...batch, items } : { ...batch, items, ...end };
}
