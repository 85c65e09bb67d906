import type { Account, Storage } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { sampleAccount } from "./account-samples.ts";
import { finished, sampleBatch, SUBMITTED_AT } from "./batch-samples.ts";
import { sampleClaim } from "./batch-keys.ts";
import { assertJournalAddsUp } from "./ledger-model.ts";
import { balance, NEXT_REQUEST, NOW, REQUEST, reservation } from "./ledger-samples.ts";
import { concurrently, type DefineTest } from "./suite.ts";

const ACCOUNT = { accountId: "acct_1" };
const NONE = { granted: 0, used: 0, reserved: 0 };

/** Creates `acct_1` and `acct_2`, and starts the deletion of `acct_1`. */
async function startDeletion({ accounts }: Pick<Storage, "accounts">): Promise<Account | null> {
  await accounts.insert(sampleAccount());
  await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
  return accounts.startDeletion({ id: "acct_1", now: NOW });
}

/**
 * Tests that deleting an account's batches and ledger leaves nothing of them, even if requests are
 * in flight or renders are running.
 */
export function testAccountDeletion(test: DefineTest<keyof Storage>): void {
  testBatches(test);
  testLedger(test);
}

function testBatches(test: DefineTest<keyof Storage>): void {
  test("deletes an account's batches with their items and deliveries", async ({ batches }) => {
    for (let index = 0; index < 25; index += 1) await batches.insert(sampleBatch({ id: `batch_${index}` }));
    await batches.insert(finished(sampleBatch({ id: "finished" })));
    await batches.insert(sampleBatch({ id: "other", accountId: "acct_2" }));
    assert.equal(await batches.deleteAccount(ACCOUNT), 26);
    for (const accountId of ["acct_1", "a\0b"]) assert.equal(await batches.deleteAccount({ accountId }), 0);
    for (const id of ["batch_0", "batch_24", "finished"]) assert.equal(await batches.find(id), null);
    assert.notEqual(await batches.find("other"), null);
    const request = { now: SUBMITTED_AT, limit: 100, exceptAccounts: [] };
    assert.deepEqual(
      (await batches.dueItems(request)).map(({ batchId }) => batchId),
      ["other"],
    );
    assert.deepEqual(await batches.dueDeliveries(request), []);
    const change = { batchId: "batch_0", now: SUBMITTED_AT, change: () => sampleBatch() };
    assert.equal(await batches.change(change), null);
  });

  test("stores no batch for an account whose deletion has started", async (storage) => {
    const { accounts, batches } = storage;
    await startDeletion(storage);
    for (const id of ["batch_1", "batch_2"])
      assert.equal(await batches.insert(sampleBatch({ id }), sampleClaim()), null, "stores no claim");
    assert.equal(await batches.find("batch_1"), null);
    await accounts.delete({ id: "acct_1", now: NOW });
    await batches.insert(sampleBatch());
    assert.equal(await batches.find("batch_1"), null);
    const other = sampleBatch({ accountId: "acct_2" });
    await batches.insert(other);
    assert.deepEqual(await batches.find("batch_1"), other);
  });

  test("leaves no batch that is submitted during the deletion", async (storage) => {
    const { accounts, batches } = storage;
    await accounts.insert(sampleAccount());
    await concurrently(async (index) => {
      if (index !== 50) return batches.insert(sampleBatch({ id: `batch_${index}` }));
      await accounts.startDeletion({ id: "acct_1", now: NOW });
      await batches.deleteAccount(ACCOUNT);
    });
    assert.equal(await batches.deleteAccount(ACCOUNT), 0);
  });
}

function testLedger(test: DefineTest<keyof Storage>): void {
  test("deletes an account's ledger, and leaves no trace of a running render", async (storage) => {
    const { ledger } = storage;
    await ledger.reserve(reservation("charged"));
    await ledger.settle({ reservationId: "charged", now: NOW });
    await ledger.reserve(reservation("open"));
    await ledger.reserve(reservation("other", { accountId: "acct_2" }));
    await startDeletion(storage);
    assert.equal(await ledger.deleteAccount(ACCOUNT), 4);
    for (const method of ["settle", "refund", "reverse"] as const)
      for (const reservationId of ["charged", "open"])
        assert.equal(await ledger[method]({ reservationId, now: NOW }), "unknown");
    assert.deepEqual(await ledger.balance(REQUEST), NONE);
    assert.deepEqual(await ledger.reserve(reservation("late")), { reserved: false, balance: NONE });
    assert.equal(await ledger.settle({ reservationId: "late", now: NOW }), "unknown");
    assert.deepEqual(await ledger.journal({ ...ACCOUNT, limit: 10 }), []);
    assert.equal(await ledger.deleteAccount(ACCOUNT), 0);
    assert.deepEqual(await ledger.balance({ ...REQUEST, accountId: "acct_2" }), balance(10, 0, 1));
    await assertJournalAddsUp(ledger, { ...REQUEST, accountId: "acct_2" });
  });

  test("leaves no trace of reservations that are resolved while their account's ledger is deleted", async (storage) => {
    const { ledger } = storage;
    for (let index = 0; index < 100; index += 1)
      await ledger.reserve(reservation(`r${index}`, { granted: 100 }));
    await startDeletion(storage);
    const methods = ["settle", "refund", "reverse"] as const;
    /** What each method returns before the deletion. */
    const resolutions = { settle: "settled", refund: "refunded", reverse: "refunded" } as const;
    await concurrently(async (index) => {
      if (index === 50) return ledger.deleteAccount(ACCOUNT);
      const method = methods[index % 3] ?? "settle";
      const resolution = await ledger[method]({ reservationId: `r${index}`, now: NOW });
      assert.ok([resolutions[method], "unknown"].includes(resolution), `${method}: ${resolution}`);
    });
    for (const index of [0, 49, 50, 99])
      assert.equal(await ledger.settle({ reservationId: `r${index}`, now: NOW }), "unknown");
    assert.deepEqual(await ledger.balance({ ...REQUEST, granted: 100 }), NONE);
    assert.deepEqual(await ledger.journal({ ...ACCOUNT, limit: 10 }), []);
    assert.equal(await ledger.deleteAccount(ACCOUNT), 0);
  });

  test("leaves no trace of reservations that are made while their account's ledger is deleted", async (storage) => {
    const { ledger } = storage;
    const request = { ...REQUEST, granted: 100 };
    await ledger.balance(request);
    await startDeletion(storage);
    // later ones sort before earlier ones, so a deletion in the order of the ids may already be past them
    const idOf = (index: number): string => `r${199 - index}`;
    await concurrently(async (index) => {
      if (index === 50) return ledger.deleteAccount(ACCOUNT);
      const reservationId = idOf(index);
      await ledger.reserve(reservation(reservationId, request));
      if (index % 2 === 0) await ledger.settle({ reservationId, now: NOW });
    });
    for (let index = 0; index < 100; index += 1)
      for (const method of ["settle", "reverse"] as const)
        assert.equal(await ledger[method]({ reservationId: idOf(index), now: NOW }), "unknown");
    assert.deepEqual(await ledger.balance(request), NONE);
    assert.deepEqual(await ledger.journal({ ...ACCOUNT, limit: 10 }), []);
    assert.equal(await ledger.deleteAccount(ACCOUNT), 0);
  });

  test("keeps the ledger when only the account is deleted: running renders are settled, and no new period opens", async (storage) => {
    const { accounts, ledger } = storage;
    await ledger.reserve(reservation("open"));
    await startDeletion(storage);
    await accounts.delete({ id: "acct_1", now: NOW });
    assert.equal(await ledger.settle({ reservationId: "open", now: NOW }), "settled");
    assert.deepEqual(await ledger.balance(REQUEST), balance(10, 1, 0));
    await assertJournalAddsUp(ledger, REQUEST);
    assert.deepEqual(await ledger.balance(NEXT_REQUEST), NONE);
    assert.equal((await ledger.journal({ ...ACCOUNT, limit: 10 })).length, 3);
  });
}
