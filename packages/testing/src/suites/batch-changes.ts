import type { Balance, BatchChange, BatchRecord, JournalEntry, Ledger, Resolution } from "@snap/engine/ports";
import assert from "node:assert/strict";
import {
  claim,
  DONE,
  finished,
  queued,
  sampleBatch,
  sampleItem,
  SUBMITTED_AT,
  withParameters,
  withState,
} from "./batch-samples.ts";
import { concurrently, CONCURRENT_CALLS } from "./suite.ts";
import type { DefineTest } from "./suite.ts";

const REQUEST = {
  accountId: "acct_1",
  period: { startedAt: SUBMITTED_AT - 1000, resetsAt: SUBMITTED_AT + 2_000_000_000 },
  granted: 10,
  now: SUBMITTED_AT,
};
const LAPSES_AT = SUBMITTED_AT + 120_000;

const TWO_ITEMS = sampleBatch({ items: [sampleItem(), sampleItem({ id: "item_2" })] });

function reserve(ledger: Ledger, reservationId: string): Promise<unknown> {
  return ledger.reserve({ ...REQUEST, reservationId, lapsesAt: LAPSES_AT });
}

/** Returns the account's balance and journal. */
async function readLedger(ledger: Ledger): Promise<[Balance, readonly JournalEntry[]]> {
  return [await ledger.balance(REQUEST), await ledger.journal({ accountId: "acct_1", limit: 1000 })];
}

function request(change: BatchChange["change"], settle?: string): BatchChange {
  return { batchId: "batch_1", now: SUBMITTED_AT, change, ...(settle === undefined ? {} : { settle }) };
}

/** Returns a change that records how the reservation ended, and succeeds or returns `null`. */
function recording(seen: (Resolution | null)[], succeeds: boolean): BatchChange["change"] {
  return (batch, settled) => {
    seen.push(settled);
    return succeeds ? withState(batch, DONE) : null;
  };
}

/** Tests the results of changes, alone and together with a settlement. */
export function testBatchChanges(test: DefineTest<"batches" | "ledger">): void {
  testOutcomes(test);
  testSettlements(test);
  testConcurrentChanges(test);
}

function testOutcomes(test: DefineTest<"batches" | "ledger">): void {
  test("stores and returns the result of a change", async ({ batches }) => {
    const other = sampleBatch({ id: "batch_2" });
    await batches.insert(TWO_ITEMS);
    await batches.insert(other);
    let expected = TWO_ITEMS;
    const steps: ((batch: BatchRecord) => BatchRecord)[] = [
      (batch) => withState(batch, { ...queued(SUBMITTED_AT + 5), limitedSince: SUBMITTED_AT }),
      (batch) => withState(batch, DONE, "item_2"),
      (batch) => withParameters(withState(batch, DONE), { url: "https://example.com/", basicAuth: null }),
      (batch) => finished(batch, { finishedAt: SUBMITTED_AT + 7 }),
      (batch) => ({
        ...batch,
        delivery: { status: "sending", leaseEndsAt: SUBMITTED_AT + 20, attempts: 1, fence: 1 },
      }),
      (batch) => ({
        ...batch,
        delivery: { status: "delivered", deliveredAt: SUBMITTED_AT + 9, attempts: 1 },
      }),
      (batch) => batch,
    ];
    for (const step of steps) {
      const before = expected;
      expected = step(before);
      const change = (batch: BatchRecord): BatchRecord => {
        assert.deepEqual(batch, before);
        return step(batch);
      };
      assert.deepEqual(await batches.change(request(change)), expected);
      assert.deepEqual(await batches.find("batch_1"), expected);
    }
    assert.deepEqual(await batches.find("batch_2"), other);
  });

  test("does nothing for an unknown batch", async ({ batches, ledger }) => {
    await reserve(ledger, "r1");
    const before = await readLedger(ledger);
    const seen: (Resolution | null)[] = [];
    for (const batchId of ["batch_1", "a\0b"])
      assert.equal(await batches.change({ ...request(recording(seen, true), "r1"), batchId }), null);
    assert.deepEqual(seen, []);
    assert.deepEqual(await readLedger(ledger), before);
  });

  test("rolls back when the change returns null", async ({ batches, ledger }) => {
    await batches.insert(TWO_ITEMS);
    await reserve(ledger, "r1");
    const before = await readLedger(ledger);
    assert.equal(await batches.change(request(() => null, "r1")), null);
    assert.deepEqual(await batches.find("batch_1"), TWO_ITEMS);
    assert.deepEqual(await readLedger(ledger), before);
    // the rolled-back change does not record a lapse either
    assert.equal(await batches.change({ ...request(() => null, "r1"), now: LAPSES_AT }), null);
    assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 1000 }), before[1]);
    assert.equal(await ledger.settle({ reservationId: "r1", now: SUBMITTED_AT }), "settled");
  });

  test("rolls back and rejects when the change throws", async (storage) => {
    const { batches, ledger } = storage;
    await batches.insert(TWO_ITEMS);
    await reserve(ledger, "r1");
    const before = await readLedger(ledger);
    const fault = new Error("no such change");
    const throwing = (): never => {
      throw fault;
    };
    await assert.rejects(batches.change(request(throwing, "r1")), (error) => error === fault);
    assert.deepEqual(await batches.find("batch_1"), TWO_ITEMS);
    assert.deepEqual(await readLedger(ledger), before);
    assert.deepEqual(await batches.change(request((batch) => batch)), TWO_ITEMS);
  });
}

function testSettlements(test: DefineTest<"batches" | "ledger">): void {
  test("settles the reservation and stores the change", async ({ batches, ledger }) => {
    await batches.insert(TWO_ITEMS);
    await reserve(ledger, "r1");
    const seen: (Resolution | null)[] = [];
    const changed = await batches.change(request(recording(seen, true), "r1"));
    assert.equal(seen.at(-1), "settled");
    assert.deepEqual(changed, withState(TWO_ITEMS, DONE));
    assert.deepEqual(await batches.find("batch_1"), changed);
    assert.deepEqual(await ledger.balance(REQUEST), { granted: 10, used: 1, reserved: 0 });
    const [newest] = await ledger.journal({ accountId: "acct_1", limit: 1 });
    const line = { kind: "settle", credits: 1, reservationId: "r1", at: SUBMITTED_AT };
    assert.deepEqual(newest, { accountId: "acct_1", periodStartedAt: REQUEST.period.startedAt, ...line });
    assert.equal(await ledger.refund({ reservationId: "r1", now: SUBMITTED_AT }), "settled");
  });

  test("settles once with the change that finishes the batch", async ({ batches, ledger }) => {
    await batches.insert(sampleBatch());
    await reserve(ledger, "r1");
    assert.deepEqual(
      await batches.change(request((batch) => finished(batch), "r1")),
      finished(sampleBatch()),
    );
    assert.deepEqual(await batches.find("batch_1"), finished(sampleBatch()));
    assert.deepEqual(await ledger.balance(REQUEST), { granted: 10, used: 1, reserved: 0 });
    const journal = await ledger.journal({ accountId: "acct_1", limit: 10 });
    assert.equal(journal.filter(({ kind }) => kind === "settle").length, 1);
  });

  test("passes the reservation's resolution to the change", async ({ batches, ledger }) => {
    await batches.insert(TWO_ITEMS);
    for (const id of ["late", "in time", "settled", "refunded"]) await reserve(ledger, id);
    await ledger.reserve({ ...REQUEST, granted: 4, reservationId: "refused", lapsesAt: LAPSES_AT });
    await ledger.settle({ reservationId: "settled", now: SUBMITTED_AT });
    await ledger.refund({ reservationId: "refunded", now: SUBMITTED_AT });
    const cases: [string | undefined, number, Resolution | null][] = [
      ["late", LAPSES_AT, "lapsed"],
      ["in time", LAPSES_AT - 1, "settled"],
      ["settled", SUBMITTED_AT, "settled"],
      ["refunded", SUBMITTED_AT, "refunded"],
      ["refused", SUBMITTED_AT, "unknown"],
      ["never made", SUBMITTED_AT, "unknown"],
      ["a\0b", SUBMITTED_AT, "unknown"],
      [undefined, SUBMITTED_AT, null],
    ];
    for (const [settle, now, resolution] of cases) {
      const seen: (Resolution | null)[] = [];
      await batches.change({ ...request(recording(seen, true), settle), now });
      assert.equal(seen.at(-1), resolution, settle);
    }
    const balanceRequest = { ...REQUEST, granted: 4 };
    assert.deepEqual(await ledger.balance(balanceRequest), { granted: 4, used: 2, reserved: 0 });
    const kinds = (await ledger.journal({ accountId: "acct_1", limit: 100 })).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === "lapse").length, 1);
  });
}

function testConcurrentChanges(test: DefineTest<"batches" | "ledger">): void {
  test("accepts only one of many concurrent claims on one item", async ({ batches }) => {
    await batches.insert(TWO_ITEMS);
    const results = await concurrently(() => batches.change(request((batch) => claim(batch, SUBMITTED_AT))));
    const winners = results.filter((result) => result !== null);
    assert.equal(winners.length, 1, "claims that succeeded");
    assert.deepEqual(await batches.find("batch_1"), winners[0]);
    assert.deepEqual(winners[0], claim(TWO_ITEMS, SUBMITTED_AT));
  });

  test("preserves concurrent changes to one batch", async ({ batches }) => {
    await batches.insert(TWO_ITEMS);
    await concurrently((index) =>
      batches.change(
        request((batch) => {
          const id = index % 2 === 0 ? "item_1" : "item_2";
          const state = batch.items.find((item) => item.id === id)?.state;
          return state?.status === "queued"
            ? withState(batch, { ...state, starts: state.starts + 1 }, id)
            : null;
        }),
      ),
    );
    const found = await batches.find("batch_1");
    for (const { state } of found?.items ?? [])
      assert.deepEqual(state, { ...queued(), starts: CONCURRENT_CALLS / 2 });
  });

  test("accepts only one of many concurrent changes that finish a batch, and settles its reservation", async (storage) => {
    const { batches, ledger } = storage;
    await batches.insert(sampleBatch());
    const balanceRequest = { ...REQUEST, granted: CONCURRENT_CALLS };
    await concurrently((index) =>
      ledger.reserve({ ...balanceRequest, reservationId: `r${index}`, lapsesAt: LAPSES_AT }),
    );
    const results = await concurrently((index) =>
      batches.change(request((batch) => (batch.finishedAt === null ? finished(batch) : null), `r${index}`)),
    );
    assert.equal(results.filter((result) => result !== null).length, 1, "changes that finished the batch");
    const balance = { granted: CONCURRENT_CALLS, used: 1, reserved: CONCURRENT_CALLS - 1 };
    assert.deepEqual(await ledger.balance(balanceRequest), balance);
    const reservationId = `r${results.findIndex((result) => result !== null)}`;
    assert.equal(await ledger.refund({ reservationId, now: SUBMITTED_AT }), "settled");
  });
}
