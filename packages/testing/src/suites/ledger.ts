import type { Ledger } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { testAudits } from "./ledger-audits.ts";
import { assertJournalAddsUp, runAgainstModel } from "./ledger-model.ts";
import { testPruning } from "./ledger-pruning.ts";
import { testConcurrentReversals, testReversals } from "./ledger-reversals.ts";
import {
  APRIL,
  balance,
  LAPSES_AT,
  REQUEST,
  MARCH,
  NEXT_REQUEST,
  NOW,
  reservation,
} from "./ledger-samples.ts";
import { concurrently, CONCURRENT_CALLS, UNUSUAL_STRINGS, countOf, defineSuite, overwrite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

/**
 * Tests `Ledger`: every credit is reserved once and every reservation is resolved once, even under
 * concurrency.
 *
 * Also compares random calls with the in-memory model: a failure reports its seed; pass it as
 * `seed` to repeat the run.
 */
export function testLedger(
  runner: SuiteRunner,
  open: OpenStorage<"ledger">,
  { seed = Math.floor(Math.random() * 2 ** 31) }: { readonly seed?: number } = {},
): void {
  defineSuite({ runner, open, name: "Ledger: credits" }, testCredits);
  defineSuite({ runner, open, name: "Ledger: reservation ids" }, testReservationIds);
  defineSuite({ runner, open, name: "Ledger: resolutions" }, testResolutions);
  defineSuite({ runner, open, name: "Ledger: reversals" }, testReversals);
  defineSuite({ runner, open, name: "Ledger: concurrent reversals" }, testConcurrentReversals);
  defineSuite({ runner, open, name: "Ledger: periods" }, testPeriods);
  defineSuite({ runner, open, name: "Ledger: pruning" }, testPruning);
  defineSuite({ runner, open, name: "Ledger: audits" }, testAudits);
  defineSuite({ runner, open, name: "Ledger: compared with the model" }, (test) => {
    test("returns the same results as the model", ({ ledger }: { readonly ledger: Ledger }) =>
      runAgainstModel(ledger, { seed, periods: [MARCH, APRIL] }));
  });
}

function testCredits(test: DefineTest<"ledger">): void {
  test("grants credits on the first request", async ({ ledger }) => {
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 10 }), [
      {
        accountId: "acct_1",
        periodStartedAt: MARCH.startedAt,
        kind: "grant",
        credits: 10,
        reservationId: null,
        at: NOW,
      },
    ]);
  });

  test("returns journal entries that are isolated from the stored ones", async ({ ledger }) => {
    await ledger.balance(REQUEST);
    const request = { accountId: "acct_1", limit: 10 };
    const journal = await ledger.journal(request);
    const expected = structuredClone(journal);
    overwrite(journal);
    assert.deepEqual(await ledger.journal(request), expected);
  });

  test("reserves, settles and refunds", async ({ ledger }) => {
    assert.deepEqual(await ledger.reserve(reservation("r1")), {
      reserved: true,
      balance: balance(10, 0, 1),
    });
    assert.deepEqual(await ledger.reserve(reservation("r2")), {
      reserved: true,
      balance: balance(10, 0, 2),
    });
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW + 1 }), "settled");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 1, 1));
    assert.equal(await ledger.refund({ reservationId: "r2", now: NOW + 2 }), "refunded");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 1, 0));
    const line = { accountId: "acct_1", periodStartedAt: MARCH.startedAt, credits: 1 };
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 4 }), [
      { ...line, kind: "refund", reservationId: "r2", at: NOW + 2 },
      { ...line, kind: "settle", reservationId: "r1", at: NOW + 1 },
      { ...line, kind: "reserve", reservationId: "r2", at: NOW },
      { ...line, kind: "reserve", reservationId: "r1", at: NOW },
    ]);
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 0 }), []);
  });

  test("rejects when no credit is left or granted", async ({ ledger }) => {
    const last = { reserved: true, balance: balance(1, 0, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r1", { granted: 1 })), last);
    const rejected = { reserved: false, balance: balance(1, 0, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r2", { granted: 1 })), rejected);
    await ledger.settle({ reservationId: "r1", now: NOW });
    const spent = { reserved: false, balance: balance(1, 1, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r3", { granted: 1 })), spent);
    const none = { reserved: false, balance: balance(0, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r4", { accountId: "acct_2", granted: 0 })), none);
    const entries = await ledger.journal({ accountId: "acct_2", limit: 10 });
    assert.equal(entries.length, 0, "a grant of 0 credits in a new period writes no entry");
    await assertJournalAddsUp(ledger, { ...REQUEST, granted: 1 });
  });

  test("reserves each of the last credits once under many concurrent reservations", async ({ ledger }) => {
    const outcomes = await concurrently((index) => ledger.reserve(reservation(`r${index}`)));
    assert.equal(outcomes.filter((outcome) => outcome.reserved).length, 10, "reservations of 10 credits");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 10));
    await assertJournalAddsUp(ledger, REQUEST);
  });
}

function testReservationIds(test: DefineTest<"ledger">): void {
  test("returns the first result for a repeated reservation, and reserves nothing", async ({ ledger }) => {
    const outcomes = await concurrently(() => ledger.reserve(reservation("r1")));
    const repeated = outcomes.filter((outcome) => outcome.reserved).length;
    assert.equal(repeated, CONCURRENT_CALLS, "calls that returned the first result");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 1));
    await ledger.settle({ reservationId: "r1", now: NOW });
    const again = { reserved: true, balance: balance(10, 1, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1")), again);
  });

  test("repeats a rejection even when credits are available later", async ({ ledger }) => {
    await ledger.reserve(reservation("r1", { granted: 0 }));
    const again = { reserved: false, balance: balance(10, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1")), again);
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW }), "unknown");
    assert.equal(await ledger.refund({ reservationId: "r1", now: NOW }), "unknown");
  });

  test("isolates accounts with unusual ids", async ({ ledger }) => {
    for (const accountId of UNUSUAL_STRINGS)
      assert.equal(
        (await ledger.reserve(reservation(`r-${accountId}`, { accountId, granted: 1 }))).reserved,
        true,
      );
    for (const accountId of UNUSUAL_STRINGS) {
      assert.deepEqual(await ledger.balance({ ...REQUEST, accountId, granted: 1 }), balance(1, 0, 1));
      assert.equal(await ledger.settle({ reservationId: `r-${accountId}`, now: NOW }), "settled");
      assert.equal((await ledger.journal({ accountId, limit: 10 })).length, 3);
    }
  });

  test("does not return another account's reservation", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    const rejected = { reserved: false, balance: balance(10, 0, 0) };
    const outcome = await ledger.reserve(reservation("r1", { accountId: "acct_2" }));
    assert.equal(outcome.reserved, false, "the reservation belongs to another account");
    assert.deepEqual(outcome, rejected);
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW }), "settled");
    assert.deepEqual(await ledger.balance({ ...REQUEST, accountId: "acct_2" }), balance(10, 0, 0));
  });
}

function testResolutions(test: DefineTest<"ledger">): void {
  test("resolves once under many concurrent settlements and refunds", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    const results = await concurrently((index) =>
      index % 2 === 0
        ? ledger.settle({ reservationId: "r1", now: NOW })
        : ledger.refund({ reservationId: "r1", now: NOW }),
    );
    const first = results[0];
    assert.ok(first === "settled" || first === "refunded", `ended as ${first}`);
    assert.equal(countOf(results, first), CONCURRENT_CALLS, `calls that returned ${first}`);
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, first === "settled" ? 1 : 0, 0));
    assert.equal((await ledger.journal({ accountId: "acct_1", limit: 10 })).length, 3);
  });

  test("returns unknown for an unknown reservation", async ({ ledger }) => {
    for (const reservationId of ["a\0b", ...UNUSUAL_STRINGS]) {
      assert.equal(await ledger.settle({ reservationId, now: NOW }), "unknown", reservationId);
      assert.equal(await ledger.refund({ reservationId, now: NOW }), "unknown", reservationId);
    }
  });

  test("returns no journal entries for an unknown account, and deletes none", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    for (const accountId of ["acct_2", "a\0b"]) {
      assert.deepEqual(await ledger.journal({ accountId, limit: 10 }), []);
      assert.equal(await ledger.deleteAccount({ accountId }), 0);
    }
    assert.equal((await ledger.journal({ accountId: "acct_1", limit: 10 })).length, 2);
  });

  test("settles until the millisecond before the lapse", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    assert.deepEqual(await ledger.balance({ ...REQUEST, now: LAPSES_AT - 1 }), balance(10, 0, 1));
    assert.equal(await ledger.settle({ reservationId: "r1", now: LAPSES_AT - 1 }), "settled");
    assert.equal(await ledger.settle({ reservationId: "r1", now: LAPSES_AT + 1 }), "settled");
    assert.deepEqual(await ledger.balance({ ...REQUEST, now: LAPSES_AT + 1 }), balance(10, 1, 0));
  });

  test("lapses a reservation at the exact instant; a later settlement changes nothing", async ({
    ledger,
  }) => {
    for (const end of ["settle", "refund"] as const) {
      await ledger.reserve(reservation(end));
      assert.equal(await ledger[end]({ reservationId: end, now: LAPSES_AT }), "lapsed");
      // it stays lapsed, even if the clock is set back
      assert.equal(await ledger[end]({ reservationId: end, now: NOW }), "lapsed");
      assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    }
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("makes lapsed credits available on the next request", async ({ ledger }) => {
    for (const id of ["r1", "r2", "r3"]) await ledger.reserve(reservation(id, { granted: 3 }));
    const late = { granted: 3, now: LAPSES_AT };
    const outcomes = await concurrently((index) =>
      ledger.reserve(reservation(`late-${index}`, { ...late, lapsesAt: LAPSES_AT + 1 })),
    );
    assert.equal(outcomes.filter((outcome) => outcome.reserved).length, 3);
    assert.deepEqual(await ledger.balance({ ...REQUEST, ...late }), balance(3, 0, 3));
    assert.equal(await ledger.settle({ reservationId: "r1", now: LAPSES_AT }), "lapsed");
    await assertJournalAddsUp(ledger, { ...REQUEST, ...late });
  });

  test("lapses only overdue reservations", async ({ ledger }) => {
    await ledger.reserve(reservation("early"));
    await ledger.reserve(reservation("late", { lapsesAt: LAPSES_AT + 1 }));
    await ledger.reserve(reservation("other", { accountId: "acct_2" }));
    assert.deepEqual(await ledger.balance({ ...REQUEST, now: LAPSES_AT }), balance(10, 0, 1));
    assert.equal(await ledger.settle({ reservationId: "late", now: LAPSES_AT }), "settled");
    assert.deepEqual(await ledger.balance({ ...REQUEST, accountId: "acct_2" }), balance(10, 0, 1));
  });
}

function testPeriods(test: DefineTest<"ledger">): void {
  test("opens a new period without carrying credits over", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    await ledger.settle({ reservationId: "r1", now: NOW });
    assert.deepEqual(await ledger.balance(NEXT_REQUEST), balance(10, 0, 0));
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 1, 0));
  });

  test("resolves against the reservation's period", async ({ ledger }) => {
    for (const id of ["settled", "refunded", "lapsed"])
      await ledger.reserve(reservation(id, { lapsesAt: APRIL.startedAt + 1000 }));
    await ledger.reserve(reservation("april", { ...NEXT_REQUEST, lapsesAt: APRIL.startedAt + 2000 }));
    assert.equal(await ledger.settle({ reservationId: "settled", now: APRIL.startedAt + 1 }), "settled");
    assert.equal(await ledger.refund({ reservationId: "refunded", now: APRIL.startedAt + 1 }), "refunded");
    assert.equal(await ledger.settle({ reservationId: "lapsed", now: APRIL.startedAt + 1000 }), "lapsed");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 1, 0));
    assert.deepEqual(await ledger.balance(NEXT_REQUEST), balance(10, 0, 1));
    await assertJournalAddsUp(ledger, REQUEST);
    await assertJournalAddsUp(ledger, NEXT_REQUEST);
  });

  test("returns the first result for a repeat in the next period", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    const again = { reserved: true, balance: balance(10, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1", { ...NEXT_REQUEST })), again);
  });

  test("applies a grant that changes within the period", async ({ ledger }) => {
    for (const id of ["r1", "r2", "r3"]) await ledger.reserve(reservation(id));
    await ledger.settle({ reservationId: "r1", now: NOW });
    await ledger.settle({ reservationId: "r2", now: NOW });
    assert.deepEqual(await ledger.balance({ ...REQUEST, granted: 25 }), balance(25, 2, 1));
    assert.deepEqual(await ledger.balance({ ...REQUEST, granted: 1 }), balance(1, 2, 1));
    const rejected = { reserved: false, balance: balance(1, 2, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r4", { granted: 1 })), rejected);
    const reserved = { reserved: true, balance: balance(4, 2, 2) };
    assert.deepEqual(await ledger.reserve(reservation("r5", { granted: 4 })), reserved);
    const grants = (await ledger.journal({ accountId: "acct_1", limit: 100 }))
      .filter((entry) => entry.kind === "grant")
      .map((entry) => entry.credits);
    assert.deepEqual(grants, [3, -24, 15, 10]);
    await assertJournalAddsUp(ledger, { ...REQUEST, granted: 4 });
  });

  test("opens a period once under many concurrent first requests", async ({ ledger }) => {
    const balances = await concurrently(() => ledger.balance(REQUEST));
    for (const result of balances) assert.deepEqual(result, balance(10, 0, 0));
    assert.equal((await ledger.journal({ accountId: "acct_1", limit: 100 })).length, 1);
  });
}
