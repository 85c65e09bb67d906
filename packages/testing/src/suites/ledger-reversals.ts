import assert from "node:assert/strict";
import { assertJournalAddsUp } from "./ledger-model.ts";
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
import { concurrently, CONCURRENT_CALLS, UNUSUAL_STRINGS, countOf, type DefineTest } from "./suite.ts";

/** Tests `Ledger.reverse`: no charge remains, and each is reversed once. */
export function testReversals(test: DefineTest<"ledger">): void {
  test("reverses a charge once", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    await ledger.settle({ reservationId: "r1", now: NOW + 1 });
    assert.equal(await ledger.reverse({ reservationId: "r1", now: NOW + 2 }), "reversed");
    assert.equal(await ledger.reverse({ reservationId: "r1", now: NOW + 3 }), "reversed");
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW + 4 }), "reversed");
    assert.equal(await ledger.refund({ reservationId: "r1", now: NOW + 5 }), "reversed");
    assert.deepEqual(await ledger.balance({ ...REQUEST, now: LAPSES_AT }), balance(10, 0, 0));
    const line = { accountId: "acct_1", periodStartedAt: MARCH.startedAt, credits: 1, reservationId: "r1" };
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 3 }), [
      { ...line, kind: "reverse", at: NOW + 2 },
      { ...line, kind: "settle", at: NOW + 1 },
      { ...line, kind: "reserve", at: NOW },
    ]);
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("refunds an open reservation; a later settlement charges nothing", async ({ ledger }) => {
    await ledger.reserve(reservation("r1"));
    assert.equal(await ledger.reverse({ reservationId: "r1", now: NOW }), "refunded");
    assert.equal(await ledger.settle({ reservationId: "r1", now: NOW }), "refunded");
    assert.equal(await ledger.reverse({ reservationId: "r1", now: NOW }), "refunded");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    assert.equal((await ledger.journal({ accountId: "acct_1", limit: 10 })).length, 3);
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("changes nothing for refunded, lapsed and unknown reservations", async ({ ledger }) => {
    await ledger.reserve(reservation("refunded"));
    await ledger.refund({ reservationId: "refunded", now: NOW });
    await ledger.reserve(reservation("lapsed"));
    await ledger.reserve(reservation("refused", { granted: 0 }));
    assert.equal(await ledger.reverse({ reservationId: "refunded", now: NOW }), "refunded");
    assert.equal(await ledger.reverse({ reservationId: "lapsed", now: LAPSES_AT }), "lapsed");
    assert.equal(await ledger.reverse({ reservationId: "lapsed", now: NOW }), "lapsed");
    for (const reservationId of ["refused", "a\0b", ...UNUSUAL_STRINGS])
      assert.equal(await ledger.reverse({ reservationId, now: NOW }), "unknown", reservationId);
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("makes the credit available again", async ({ ledger }) => {
    await ledger.reserve(reservation("r1", { granted: 1 }));
    await ledger.settle({ reservationId: "r1", now: NOW });
    assert.equal((await ledger.reserve(reservation("r2", { granted: 1 }))).reserved, false);
    await ledger.reverse({ reservationId: "r1", now: NOW });
    const reserved = { reserved: true, balance: balance(1, 0, 1) };
    assert.deepEqual(await ledger.reserve(reservation("r3", { granted: 1 })), reserved);
  });

  test("resolves against the reservation's period, even after that period has ended", async ({ ledger }) => {
    await ledger.reserve(reservation("settled"));
    await ledger.settle({ reservationId: "settled", now: NOW });
    await ledger.reserve(reservation("open", { lapsesAt: APRIL.startedAt + 1000 }));
    await ledger.reserve(reservation("april", { ...NEXT_REQUEST, lapsesAt: APRIL.startedAt + 2000 }));
    await ledger.settle({ reservationId: "april", now: APRIL.startedAt });
    const now = APRIL.startedAt + 1;
    assert.equal(await ledger.reverse({ reservationId: "settled", now }), "reversed");
    assert.equal(await ledger.reverse({ reservationId: "open", now }), "refunded");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    assert.deepEqual(await ledger.balance(NEXT_REQUEST), balance(10, 1, 0));
    await assertJournalAddsUp(ledger, REQUEST);
    await assertJournalAddsUp(ledger, NEXT_REQUEST);
  });
}

/** Tests that no charge remains after concurrent calls. */
export function testConcurrentReversals(test: DefineTest<"ledger">): void {
  test("leaves no charge after many concurrent settlements, refunds and reversals", async ({ ledger }) => {
    for (const first of ["settle", "refund", "reverse"] as const) {
      const rest = (["settle", "refund", "reverse"] as const).filter((operation) => operation !== first);
      const operations = [first, ...rest];
      await ledger.reserve(reservation(first));
      const results = await concurrently(async (index) => {
        const operation = operations[index % operations.length] ?? first;
        return { operation, outcome: await ledger[operation]({ reservationId: first, now: NOW }) };
      });
      const outcomes = new Set(
        results.filter(({ operation }) => operation === "reverse").map(({ outcome }) => outcome),
      );
      const [outcome] = outcomes;
      assert.equal(outcomes.size, 1, "reversals of one reservation returned different results");
      assert.ok(outcome === "reversed" || outcome === "refunded", `a reversal returned ${outcome}`);
      assert.equal(await ledger.settle({ reservationId: first, now: NOW }), outcome);
      assert.deepEqual(await ledger.balance(REQUEST), balance(10, 0, 0));
    }
    await assertJournalAddsUp(ledger, REQUEST);
  });

  test("reverses a charge once under many concurrent reversals", async ({ ledger }) => {
    for (const id of ["r1", "r2"]) {
      await ledger.reserve(reservation(id));
      await ledger.settle({ reservationId: id, now: NOW });
    }
    const results = await concurrently(() => ledger.reverse({ reservationId: "r1", now: NOW }));
    assert.equal(countOf(results, "reversed"), CONCURRENT_CALLS);
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 1, 0));
    await assertJournalAddsUp(ledger, REQUEST);
  });
}
