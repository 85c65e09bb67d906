import type { BatchRecord, BatchStore, ItemRecord, ItemState } from "../../src/ports/batches.ts";
import type { Resolution } from "../../src/ports/ledger.ts";
import { recordCharge } from "./check-charge.ts";
import { recordEnd } from "./record-end.ts";
import type { World } from "./world.ts";

interface Change {
  readonly before: BatchRecord;
  readonly after: BatchRecord;
  /** The process that made it. */
  readonly process: string;
  /** How the reservation that the transaction was to settle has ended; `null` if there was none. */
  readonly settled: Resolution | null;
}

/** Wraps the store, to record every batch and check each change. */
export function recordBatches(world: World, batches: BatchStore): BatchStore {
  const { history } = world;
  return {
    ...batches,
    async insert(batch, claim) {
      const holder = await batches.insert(batch, claim);
      if (holder === null) history.batches.set(batch.id, batch);
      return holder;
    },
    async change(request) {
      const { process } = world.origin;
      let before: BatchRecord | null = null;
      let settled: Resolution | null = null;
      const after = await batches.change({
        ...request,
        change(batch, resolution) {
          before = batch;
          settled = resolution;
          return request.change(batch, resolution);
        },
      });
      if (after === null || before === null) return after;
      history.batches.set(after.id, after);
      const change: Change = { before, after, process, settled };
      if (request.settle !== undefined && settled !== null)
        recordSettlement(world, change, { reservationId: request.settle, resolution: settled });
      for (const [index, item] of after.items.entries())
        if (before && item.state !== itemAt(before, index).state)
          checkItem(world, change, { was: itemAt(before, index), is: item });
      checkFinish(world, change);
      checkDelivery(world, change);
      return after;
    },
  };
}

function itemAt(batch: BatchRecord, index: number): ItemRecord {
  const item = batch.items[index];
  if (item === undefined) throw new Error("a change must not remove items");
  return item;
}

function recordSettlement(
  world: World,
  { before, after, process }: Change,
  { reservationId, resolution }: { readonly reservationId: string; readonly resolution: Resolution },
): void {
  const reservation = recordEnd(world, reservationId, resolution);
  const item = after.items.find(({ state }, index) => state !== itemAt(before, index).state);
  if (reservation === null || item?.state.status !== "done")
    return world.reportViolation("a settlement finishes no item", after.id, reservationId);
  const { creditCost, etag } = item.state;
  reservation.itemId = item.id;
  if (creditCost !== (resolution === "settled" ? 1 : 0))
    world.reportViolation("the cost of an item differs from the ledger", item.id, reservationId);
  if (creditCost === 0) return;
  if (!isStored(world, etag))
    world.reportViolation("an item is charged before its rendering is stored", item.id);
  const query = String(new URLSearchParams({ url: item.parameters.url }));
  recordCharge(world, { id: item.id, accountId: after.accountId, process, etag, query });
}

interface ItemChange {
  readonly was: ItemRecord;
  readonly is: ItemRecord;
}

function checkItem(world: World, { process, settled }: Change, { was, is }: ItemChange): void {
  const { history } = world;
  const { id, state } = is;
  if (!("fence" in was.state)) return world.reportViolation("a finished item changes", id);
  if ("starts" in state && state.starts > 3) world.reportViolation("an item starts too often", id);
  const isClaim = "fence" in state && state.fence > was.state.fence;
  const isByClaimant = was.state.status === "rendering" && history.claimants.get(id) === process;
  if (isClaim || (!isByClaimant && failsUnclaimed(was.state, state))) {
    if (!isClaimable(world, was.state))
      world.reportViolation("an item is claimed before its lease has expired", id);
    if (isClaim) history.claimants.set(id, process);
    if (world.conditions.isCalm && was.state.status === "rendering")
      world.reportViolation("an item is taken from a worker that renews its lease", id);
    return;
  }
  if (!isByClaimant) world.reportViolation("a process changes an item that another has claimed", id);
  if (state.status === "done" && settled === null && state.creditCost !== 0)
    world.reportViolation("an item costs a credit without a settlement", id);
}

/** Returns whether a claim failed the item because too many workers were lost. */
function failsUnclaimed(was: ItemState, is: ItemState): boolean {
  return "starts" in was && was.starts === 3 && is.status === "failed" && is.code === "render_failed";
}

function isClaimable({ conditions, timeline }: World, state: ItemState): boolean {
  if (conditions.hasWildClocks || !("fence" in state)) return true;
  const claimableAt = state.status === "queued" ? state.dueAt : state.leaseEndsAt;
  return timeline.now >= claimableAt - conditions.clockBoundMs;
}

/** Checks that a batch finishes once, with its last item. */
function checkFinish(world: World, { before, after }: Change): void {
  const isFinished = after.items.every(({ state }) => !("fence" in state));
  if ((after.finishedAt !== null) !== isFinished)
    world.reportViolation("a batch and its items disagree on whether it is finished", after.id);
  if (before.finishedAt !== null && before.finishedAt !== after.finishedAt)
    world.reportViolation("a batch finishes twice", after.id);
  const hasDelivery = isFinished && after.webhookUrl !== null;
  if ((after.delivery !== null) !== hasDelivery)
    world.reportViolation("a webhook is due before its batch is finished, or never", after.id);
}

function checkDelivery(world: World, { before, after, process }: Change): void {
  const { history, processes, reportViolation } = world;
  const { delivery: was } = before;
  const { delivery: is } = after;
  if (was === null || is === null || was === is) return;
  if (was.status === "delivered" || was.status === "abandoned")
    return reportViolation("a delivery that has ended changes", after.id);
  if (is.status === "sending" && is.fence > was.fence) {
    history.claimants.set(after.id, process);
    // by the time the claimant receives its claim, the lease might have expired
    if (processes.some(({ name, isSuspended }) => name === process && isSuspended))
      history.recordDisturbance(after.id);
  } else if (is.status !== "abandoned" && history.claimants.get(after.id) !== process)
    reportViolation("a process changes a delivery that another has claimed", after.id);
}

/** Returns whether a rendering was stored, or could not be stored because the cache was unavailable. */
function isStored({ history }: World, etag: string): boolean {
  return history.stored.has(etag) || history.dropped.has(etag);
}
