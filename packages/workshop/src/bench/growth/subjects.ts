import { createEngine, type Storage } from "@snap/engine";
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { newReservationId } from "../../../../engine/src/credits/reservation.ts";
import {
  accountId,
  ACCOUNTS,
  CREDITS,
  fillAccounts,
  fillBatches,
  fillJournal,
  fillRenderings,
  fillTokens,
  pageUrl,
  PERIOD,
  SECRET,
} from "./stored.ts";
import type { Grown } from "./measure-growth.ts";

export interface Subject extends Grown {
  readonly fill: (database: DatabaseSync, count: number) => void;
  /** One operation; `index` is a different one each time, anywhere among what is stored. */
  readonly open: (storage: Storage, count: number) => (index: number) => Promise<void>;
}

const cachedAnswer: Subject = {
  name: "a cached answer",
  stored: "renderings",
  few: 1_000,
  many: 1_000_000,
  manyWhenQuick: 100_000,
  opsPerRound: 2_000,
  fill(database, count) {
    fillAccounts(database);
    fillTokens(database, ACCOUNTS);
    fillRenderings(database, count);
  },
  open(storage) {
    const engine = createEngine({
      storage,
      renderer: {
        render: () => Promise.reject(new Error("not in the cache")),
        health: () => Promise.resolve({ ready: true, reason: null }),
        close: () => Promise.resolve(),
      },
      secretKey: "only of the benchmark",
      // All is read from the storage, whether there is little or much of it.
      memoryCacheBytes: 0,
    });
    return async (index) => {
      const principal = await engine.authenticate(`${(index % ACCOUNTS) + 1}|${SECRET}`);
      await engine.capture({ principal, parameters: { url: pageUrl(index) } });
    };
  },
};

export const tokenLookUp: Subject = {
  name: "a token look-up",
  stored: "tokens",
  few: 1_000,
  many: 1_000_000,
  manyWhenQuick: 100_000,
  opsPerRound: 10_000,
  fill(database, count) {
    fillAccounts(database);
    fillTokens(database, count);
  },
  open: (storage) => async (index) => {
    if ((await storage.tokens.find(index + 1)) === null) throw new Error(`no token ${index + 1}`);
  },
};

export const reservation: Subject = {
  name: "a reservation, made and settled",
  stored: "journal lines",
  few: 1_000,
  many: 10_000_000,
  manyWhenQuick: 100_000,
  opsPerRound: 2_000,
  fill: fillJournal,
  open: (storage) => async (index) => {
    const now = Date.now();
    const reservationId = newReservationId({ bytes: randomBytes }, now);
    const { reserved } = await storage.ledger.reserve({
      accountId: accountId(index),
      period: PERIOD,
      granted: CREDITS,
      reservationId,
      now,
      lapsesAt: now + 60_000,
    });
    if (!reserved) throw new Error("not reserved");
    await storage.ledger.settle({ reservationId, now });
  },
};

export const queueTurn: Subject = {
  name: "an item taken off the batch queue and put back",
  stored: "batches that wait",
  few: 10,
  many: 10_000,
  manyWhenQuick: 5_000,
  opsPerRound: 300,
  fill: fillBatches,
  open: (storage) => async () => {
    const now = Date.now();
    const [due] = await storage.batches.dueItems({ now, limit: 1, exceptAccounts: [] });
    if (due === undefined) throw new Error("nothing is due");
    for (const state of [
      { status: "rendering", leaseEndsAt: now + 20_000, starts: 1, fence: 1, limitedSince: null },
      { status: "queued", dueAt: 0, starts: 1, fence: 1, limitedSince: null },
    ] as const)
      await storage.batches.change({
        batchId: due.batchId,
        now,
        change: (batch) => ({
          ...batch,
          items: batch.items.map((item) => (item.id === due.itemId ? { ...item, state } : item)),
        }),
      });
  },
};

export const SUBJECTS: readonly Subject[] = [cachedAnswer, tokenLookUp, reservation, queueTurn];
