import type { Ledger, PruneRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { assertJournalAddsUp } from "./ledger-model.ts";
import {
  APRIL,
  balance,
  LAPSES_AT,
  MARCH,
  NEXT_REQUEST,
  NOW,
  REQUEST,
  reservation,
} from "./ledger-samples.ts";
import { concurrently, UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

const PRUNE_MARCH = {
  now: APRIL.startedAt,
  reservationsBefore: "",
  periodsBefore: APRIL.startedAt,
  limit: 10,
};

/** Prunes until nothing is left to prune. */
async function pruneAll(ledger: Ledger, request: PruneRequest): Promise<void> {
  while ((await ledger.prune(request)) > 0);
}

async function kindsOf(ledger: Ledger, accountId = "acct_1"): Promise<string[]> {
  return (await ledger.journal({ accountId, limit: 1000 })).map(({ kind }) => kind).toReversed();
}

/** Tests `Ledger.prune`: it deletes only old records, and balances always add up. */
export function testPruning(test: DefineTest<"ledger">): void {
  testReservations(test);
  testPeriods(test);
}

function testReservations(test: DefineTest<"ledger">): void {
  test("deletes resolved reservations whose ids sort before `reservationsBefore`", async ({ ledger }) => {
    for (const id of ["a1", "a2", "a3", "b1"]) await ledger.reserve(reservation(id));
    for (const id of ["a1", "a2", "b1"]) await ledger.settle({ reservationId: id, now: NOW });
    await ledger.refund({ reservationId: "a3", now: NOW });
    await ledger.reserve(reservation("a4", { granted: 0 }));
    await ledger.balance(REQUEST);
    const before = await kindsOf(ledger);
    await pruneAll(ledger, { now: NOW, reservationsBefore: "b", periodsBefore: null, limit: 2 });
    for (const id of ["a1", "a2", "a3", "a4"])
      assert.equal(await ledger.reverse({ reservationId: id, now: NOW }), "unknown");
    assert.deepEqual(await kindsOf(ledger), before);
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 3, 0));
    await assertJournalAddsUp(ledger, REQUEST);
    assert.equal(await ledger.reverse({ reservationId: "b1", now: NOW }), "reversed");
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("marks open reservations as lapsed before deleting them", async ({ ledger }) => {
    for (const id of ["a1", "a2", "b1"]) await ledger.reserve(reservation(id));
    const now = LAPSES_AT + 1;
    await pruneAll(ledger, { now, reservationsBefore: "b", periodsBefore: null, limit: 1 });
    assert.deepEqual(await kindsOf(ledger), ["grant", "reserve", "reserve", "reserve", "lapse", "lapse"]);
    assert.equal(await ledger.settle({ reservationId: "a1", now }), "unknown");
    assert.deepEqual(await ledger.balance({ ...REQUEST, now: NOW }), balance(10, 0, 1));
    await assertJournalAddsUp(ledger, { ...REQUEST, now: NOW });
  });

  test("compares ids by their bytes", async ({ ledger }) => {
    for (const id of [...UNUSUAL_STRINGS, "Z", "z"]) {
      await ledger.reserve(reservation(id, { granted: 100 }));
      await ledger.settle({ reservationId: id, now: NOW });
    }
    await pruneAll(ledger, { now: NOW, reservationsBefore: "a", periodsBefore: null, limit: 3 });
    for (const id of [...UNUSUAL_STRINGS, "Z", "z"]) {
      const isPruned = Buffer.compare(Buffer.from(id), Buffer.from("a")) < 0;
      const resolution = await ledger.settle({ reservationId: id, now: NOW });
      assert.equal(resolution, isPruned ? "unknown" : "settled", id);
    }
  });
}

function testPeriods(test: DefineTest<"ledger">): void {
  const spend = async (ledger: Ledger, accountId: string, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      await ledger.reserve(reservation(`${accountId}/${index}`, { accountId }));
      await ledger.settle({ reservationId: `${accountId}/${index}`, now: NOW });
    }
  };

  test("deletes whole periods in chunks, and keeps the next period's balance consistent with its journal", async ({
    ledger,
  }) => {
    await spend(ledger, "acct_1", 4);
    await spend(ledger, "acct_2", 2);
    await ledger.reserve(reservation("april", { ...NEXT_REQUEST, lapsesAt: APRIL.resetsAt }));
    for (let limit = 3; (await ledger.prune({ ...PRUNE_MARCH, limit })) > 0; limit = 4 - limit)
      await assertJournalAddsUp(ledger, NEXT_REQUEST);
    assert.deepEqual(await kindsOf(ledger), ["grant", "reserve"]);
    assert.deepEqual(await kindsOf(ledger, "acct_2"), []);
    await assertJournalAddsUp(ledger, NEXT_REQUEST);
    assert.equal(await ledger.settle({ reservationId: "april", now: APRIL.startedAt }), "settled");
    await assertJournalAddsUp(ledger, NEXT_REQUEST);
  });

  test("deletes no period that starts at or after `periodsBefore`, and none if it is null", async ({
    ledger,
  }) => {
    await spend(ledger, "acct_1", 1);
    const kinds = await kindsOf(ledger);
    for (const periodsBefore of [null, MARCH.startedAt]) {
      assert.equal(await ledger.prune({ ...PRUNE_MARCH, periodsBefore }), 0);
      assert.deepEqual(await kindsOf(ledger), kinds);
    }
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("deletes nothing with a limit of 0", async ({ ledger }) => {
    await spend(ledger, "acct_1", 2);
    const kinds = await kindsOf(ledger);
    assert.equal(await ledger.prune({ ...PRUNE_MARCH, reservationsBefore: "b", limit: 0 }), 0);
    assert.deepEqual(await kindsOf(ledger), kinds);
    assert.equal(await ledger.reverse({ reservationId: "acct_1/0", now: NOW }), "reversed");
  });

  test("keeps a period with an open reservation", async ({ ledger }) => {
    await ledger.reserve(reservation("r1", { lapsesAt: APRIL.resetsAt }));
    assert.equal(await ledger.prune(PRUNE_MARCH), 0);
    await assertJournalAddsUp(ledger, REQUEST);
    assert.equal(await ledger.settle({ reservationId: "r1", now: APRIL.startedAt }), "settled");
    await assertJournalAddsUp(ledger, REQUEST);
    await pruneAll(ledger, PRUNE_MARCH);
    assert.deepEqual(await kindsOf(ledger), []);
  });

  test("prunes while reservations are made and settled", async ({ ledger }) => {
    await spend(ledger, "acct_1", 5);
    await concurrently(async (index) => {
      if (index % 2 === 0) return ledger.prune({ ...PRUNE_MARCH, reservationsBefore: "b", limit: 2 });
      const id = `n${index}`;
      await ledger.reserve(reservation(id, { ...NEXT_REQUEST, granted: 100, lapsesAt: APRIL.resetsAt }));
      return ledger.settle({ reservationId: id, now: APRIL.startedAt });
    });
    const april = { ...NEXT_REQUEST, granted: 100 };
    assert.deepEqual(await ledger.balance(april), balance(100, 50, 0));
    await assertJournalAddsUp(ledger, april);
  });
}
