import type { Ledger } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { assertJournalAddsUp, runAgainstModel } from "./ledger-model.ts";
import { testConcurrentReversals, testReversals } from "./ledger-reversals.ts";
import { APRIL, balance, LAPSES_AT, LOOK, MARCH, NEXT_LOOK, NOW, reservation } from "./ledger-samples.ts";
import { allAtOnce, AT_ONCE, AWKWARD_TEXTS, countOf, defineSuite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

/**
 * The contract of `Ledger`: two-phase, exact under concurrency, every reservation resolved once.
 *
 * Besides its tables it plays a random run of calls against the in-memory model; a failure of that
 * names the seed, which `seed` repeats.
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
  defineSuite({ runner, open, name: "Ledger: reversals at once" }, testConcurrentReversals);
  defineSuite({ runner, open, name: "Ledger: periods" }, testPeriods);
  defineSuite({ runner, open, name: "Ledger: against the model" }, (test) => {
    test("agrees with it call by call", ({ ledger }: { readonly ledger: Ledger }) =>
      runAgainstModel(ledger, { seed, periods: [MARCH, APRIL] }));
  });
}

function testCredits(test: DefineTest<"ledger">): void {
  test("grants at the first look", async ({ ledger }) => {
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 0, 0));
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 0, 0));
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
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 1, 1));
    assert.equal(await ledger.refund({ reservationId: "r2", now: NOW + 2 }), "refunded");
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 1, 0));
    const line = { accountId: "acct_1", periodStartedAt: MARCH.startedAt, credits: 1 };
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 4 }), [
      { ...line, kind: "refund", reservationId: "r2", at: NOW + 2 },
      { ...line, kind: "settle", reservationId: "r1", at: NOW + 1 },
      { ...line, kind: "reserve", reservationId: "r2", at: NOW },
      { ...line, kind: "reserve", reservationId: "r1", at: NOW },
    ]);
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 0 }), []);
  });

  test("refuses when no credit is left, and when none was granted", async ({ ledger }) => {
    const last = { reserved: true, balance: balance(1, 0, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r1", { granted: 1 })), last);
    const refused = { reserved: false, balance: balance(1, 0, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r2", { granted: 1 })), refused);
    await ledger.settle({ reservationId: "r1", now: NOW });
    const spent = { reserved: false, balance: balance(1, 1, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r3", { granted: 1 })), spent);
    const none = { reserved: false, balance: balance(0, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r4", { accountId: "acct_2", granted: 0 })), none);
    assert.deepEqual(await ledger.journal({ accountId: "acct_2", limit: 10 }), []);
    await assertJournalAddsUp(ledger, { ...LOOK, granted: 1 });
  });

  test("takes the last credits once, of many reservations at once", async ({ ledger }) => {
    const outcomes = await allAtOnce((index) => ledger.reserve(reservation(`r${index}`)));
    assert.equal(outcomes.filter((outcome) => outcome.reserved).length, 10);
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 0, 10));
    await assertJournalAddsUp(ledger, LOOK);
  });
}

function testReservationIds(test: DefineTest<"ledger">): void {
  test("answers a repeated reservation as the first time, and takes nothing", async ({ ledger }) => {
    const outcomes = await allAtOnce(() => ledger.reserve(reservation("r1")));
    assert.equal(outcomes.filter((outcome) => outcome.reserved).length, AT_ONCE);
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 0, 1));
    await ledger.settle({ reservationId: "r1", now: NOW });
    const again = { reserved: true, balance: balance(10, 1, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1")), again);
  });

  test("keeps to a refusal, even once there is credit", async ({ ledger }) => {
    await ledger.reserve(reservation("r1", { granted: 0 }));
    const again = { reserved: false, balance: balance(10, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1")), again);
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW }), "unknown");
    assert.equal(await ledger.refund({ reservationId: "r1", now: NOW }), "unknown");
  });

  test("keeps accounts apart, whatever the ids are", async ({ ledger }) => {
    for (const accountId of AWKWARD_TEXTS)
      assert.equal(
        (await ledger.reserve(reservation(`r-${accountId}`, { accountId, granted: 1 }))).reserved,
        true,
      );
    for (const accountId of AWKWARD_TEXTS) {
      assert.deepEqual(await ledger.balance({ ...LOOK, accountId, granted: 1 }), balance(1, 0, 1));
      assert.equal(await ledger.settle({ reservationId: `r-${accountId}`, now: NOW }), "settled");
      assert.equal((await ledger.journal({ accountId, limit: 10 })).length, 3);
    }
  });

  test("does not lend one account the reservation of another", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    const borrowed = { reserved: false, balance: balance(10, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1", { accountId: "acct_2" })), borrowed);
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW }), "settled");
    assert.deepEqual(await ledger.balance({ ...LOOK, accountId: "acct_2" }), balance(10, 0, 0));
  });
}

function testResolutions(test: DefineTest<"ledger">): void {
  test("resolves once, of many settles and refunds at once", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    const answers = await allAtOnce((index) =>
      index % 2 === 0
        ? ledger.settle({ reservationId: "r1", now: NOW })
        : ledger.refund({ reservationId: "r1", now: NOW }),
    );
    const first = answers[0];
    assert.ok(first === "settled" || first === "refunded");
    assert.equal(countOf(answers, first), AT_ONCE);
    assert.deepEqual(await ledger.balance(LOOK), balance(10, first === "settled" ? 1 : 0, 0));
    assert.equal((await ledger.journal({ accountId: "acct_1", limit: 10 })).length, 3);
  });

  test("answers unknown for what it never saw", async ({ ledger }) => {
    for (const reservationId of AWKWARD_TEXTS) {
      assert.equal(await ledger.settle({ reservationId, now: NOW }), "unknown");
      assert.equal(await ledger.refund({ reservationId, now: NOW }), "unknown");
    }
  });

  test("settles until the millisecond of the lapse", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    assert.deepEqual(await ledger.balance({ ...LOOK, now: LAPSES_AT - 1 }), balance(10, 0, 1));
    assert.equal(await ledger.settle({ reservationId: "r1", now: LAPSES_AT - 1 }), "settled");
    assert.equal(await ledger.settle({ reservationId: "r1", now: LAPSES_AT + 1 }), "settled");
    assert.deepEqual(await ledger.balance({ ...LOOK, now: LAPSES_AT + 1 }), balance(10, 1, 0));
  });

  test("lapses at the instant itself; a later settle moves nothing", async ({ ledger }) => {
    for (const end of ["settle", "refund"] as const) {
      await ledger.reserve(reservation(end));
      assert.equal(await ledger[end]({ reservationId: end, now: LAPSES_AT }), "lapsed");
      // Not even with a clock that went back.
      assert.equal(await ledger[end]({ reservationId: end, now: NOW }), "lapsed");
      assert.deepEqual(await ledger.balance(LOOK), balance(10, 0, 0));
    }
    await assertJournalAddsUp(ledger, LOOK);
  });

  test("gives lapsed credits back to whoever looks next", async ({ ledger }) => {
    for (const id of ["r1", "r2", "r3"]) await ledger.reserve(reservation(id, { granted: 3 }));
    const late = { granted: 3, now: LAPSES_AT };
    const outcomes = await allAtOnce((index) =>
      ledger.reserve(reservation(`late-${index}`, { ...late, lapsesAt: LAPSES_AT + 1 })),
    );
    assert.equal(outcomes.filter((outcome) => outcome.reserved).length, 3);
    assert.deepEqual(await ledger.balance({ ...LOOK, ...late }), balance(3, 0, 3));
    assert.equal(await ledger.settle({ reservationId: "r1", now: LAPSES_AT }), "lapsed");
    await assertJournalAddsUp(ledger, { ...LOOK, ...late });
  });

  test("lapses only what is overdue", async ({ ledger }) => {
    await ledger.reserve(reservation("early"));
    await ledger.reserve(reservation("late", { lapsesAt: LAPSES_AT + 1 }));
    await ledger.reserve(reservation("other", { accountId: "acct_2" }));
    assert.deepEqual(await ledger.balance({ ...LOOK, now: LAPSES_AT }), balance(10, 0, 1));
    assert.equal(await ledger.settle({ reservationId: "late", now: LAPSES_AT }), "settled");
    assert.deepEqual(await ledger.balance({ ...LOOK, accountId: "acct_2" }), balance(10, 0, 1));
  });
}

function testPeriods(test: DefineTest<"ledger">): void {
  test("opens a new period without carrying over", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    await ledger.settle({ reservationId: "r1", now: NOW });
    assert.deepEqual(await ledger.balance(NEXT_LOOK), balance(10, 0, 0));
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 1, 0));
  });

  test("resolves against the period of the reservation", async ({ ledger }) => {
    for (const id of ["settled", "refunded", "lapsed"])
      await ledger.reserve(reservation(id, { lapsesAt: APRIL.startedAt + 1000 }));
    await ledger.reserve(reservation("april", { ...NEXT_LOOK, lapsesAt: APRIL.startedAt + 2000 }));
    assert.equal(await ledger.settle({ reservationId: "settled", now: APRIL.startedAt + 1 }), "settled");
    assert.equal(await ledger.refund({ reservationId: "refunded", now: APRIL.startedAt + 1 }), "refunded");
    assert.equal(await ledger.settle({ reservationId: "lapsed", now: APRIL.startedAt + 1000 }), "lapsed");
    assert.deepEqual(await ledger.balance(LOOK), balance(10, 1, 0));
    assert.deepEqual(await ledger.balance(NEXT_LOOK), balance(10, 0, 1));
    await assertJournalAddsUp(ledger, LOOK);
    await assertJournalAddsUp(ledger, NEXT_LOOK);
  });

  test("answers a repeat in the next period as the first time", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    const again = { reserved: true, balance: balance(10, 0, 0) };
    assert.deepEqual(await ledger.reserve(reservation("r1", { ...NEXT_LOOK })), again);
  });

  test("follows a grant that changes within the period", async ({ ledger }) => {
    for (const id of ["r1", "r2", "r3"]) await ledger.reserve(reservation(id));
    await ledger.settle({ reservationId: "r1", now: NOW });
    await ledger.settle({ reservationId: "r2", now: NOW });
    assert.deepEqual(await ledger.balance({ ...LOOK, granted: 25 }), balance(25, 2, 1));
    assert.deepEqual(await ledger.balance({ ...LOOK, granted: 1 }), balance(1, 2, 1));
    const refused = { reserved: false, balance: balance(1, 2, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r4", { granted: 1 })), refused);
    const reserved = { reserved: true, balance: balance(4, 2, 2) };
    assert.deepEqual(await ledger.reserve(reservation("r5", { granted: 4 })), reserved);
    const grants = (await ledger.journal({ accountId: "acct_1", limit: 100 }))
      .filter((entry) => entry.kind === "grant")
      .map((entry) => entry.credits);
    assert.deepEqual(grants, [3, -24, 15, 10]);
    await assertJournalAddsUp(ledger, { ...LOOK, granted: 4 });
  });

  test("opens a period once, of many first looks at once", async ({ ledger }) => {
    const balances = await allAtOnce(() => ledger.balance(LOOK));
    for (const one of balances) assert.deepEqual(one, balance(10, 0, 0));
    assert.equal((await ledger.journal({ accountId: "acct_1", limit: 100 })).length, 1);
  });
}
