import { createMemoryRenderLeases } from "@snap/testing";
import type { Ledger } from "../../src/ports/ledger.ts";
import type { RateLimiter } from "../../src/ports/rate-limiter.ts";
import type { RenderingStore } from "../../src/ports/renderings.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { recordBatches } from "./recorded-batches.ts";
import { recordEnd } from "./record-end.ts";
import type { World } from "./world.ts";

/** Wraps the storage, to record what it stores and check the rules that must always hold. */
export function recordStorage(world: World, storage: Storage): World["storage"] {
  return {
    ...storage,
    ledger: recordLedger(world, storage.ledger),
    renderings: recordRenderings(world, storage.renderings),
    rateLimiter: recordRateLimiter(world, storage.rateLimiter),
    batches: recordBatches(world, storage.batches),
    renderLeases: createMemoryRenderLeases(() => world.timeline.now),
  };
}

function recordLedger(world: World, ledger: Ledger): Ledger {
  const { history } = world;
  const end =
    (method: "settle" | "refund" | "reverse"): Ledger["settle"] =>
    async (request) => {
      const resolution = await ledger[method](request);
      recordEnd(world, request.reservationId, resolution);
      return resolution;
    };
  return {
    ...ledger,
    async reserve(request) {
      const { reservationId: id, accountId } = request;
      const { process, request: client } = world.origin;
      const outcome = await ledger.reserve(request);
      if (!outcome.reserved || history.reservations.has(id)) return outcome;
      const reservation = { id, accountId, process, request: client, itemId: null, end: null };
      history.reservations.set(id, reservation);
      const { granted, used, reserved } = outcome.balance;
      if (used + reserved > granted)
        world.reportViolation("an account reserves more credits than it was granted", accountId, id);
      if (countOf(history.reservations.values(), accountId) > countOf(history.allowedRenders, accountId))
        world.reportViolation("a render does not count against the rate limit", accountId, id);
      return outcome;
    },
    settle: end("settle"),
    refund: end("refund"),
    reverse: end("reverse"),
  };
}

function countOf(records: Iterable<{ readonly accountId: string }>, accountId: string): number {
  let count = 0;
  for (const record of records) if (record.accountId === accountId) count += 1;
  return count;
}

function recordRenderings(world: World, renderings: RenderingStore): RenderingStore {
  return {
    ...renderings,
    async put(request) {
      const { request: client } = world.origin;
      await renderings.put(request);
      const { etag } = request.rendering;
      world.history.stored.set(etag, request.accountId);
      if (client !== null) client.storedEtag = etag;
    },
  };
}

function recordRateLimiter({ history, timeline }: World, rateLimiter: RateLimiter): RateLimiter {
  return {
    ...rateLimiter,
    async consume(request) {
      const result = await rateLimiter.consume(request);
      const { accountId, name } = request;
      if (result.allowed && name === "render")
        history.allowedRenders.push({ accountId, at: timeline.now, isLocal: false });
      return result;
    },
  };
}
