import type { Storage } from "@snap/engine/ports";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { sampleBatch } from "./sample-batch.ts";
import { execute, openStorage, useServer } from "./server.ts";

describe("several storages on one database", { tags: ["postgres"] }, () => {
  const { newDatabase } = useServer();
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });
  const openTwo = async (): Promise<{ one: Storage; other: Storage; url: string }> => {
    const url = await newDatabase();
    const [one, other] = await Promise.all([openStorage({ url }), openStorage({ url })]);
    opened.push(one, other);
    return { one, other, url };
  };

  it("reserve each credit once", async () => {
    const { one, other } = await openTwo();
    const request = { accountId: "acct_1", period: { startedAt: 0, resetsAt: 1000 }, granted: 7 };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? one : other).ledger.reserve({
          ...request,
          reservationId: `res_${index}`,
          now: 1,
          lapsesAt: 900,
        }),
      ),
    );
    expect(outcomes.filter(({ reserved }) => reserved)).toHaveLength(7);
    expect(await one.ledger.balance({ ...request, now: 1 })).toEqual({ granted: 7, used: 0, reserved: 7 });
  });

  it("do not deadlock when reservations lapse at the end of a period", async () => {
    const { one, other } = await openTwo();
    const before = { startedAt: 0, resetsAt: 1000 };
    const after = { startedAt: 1000, resetsAt: 2000 };
    const reserveAndSettle = async (storage: Storage, index: number): Promise<void> => {
      const period = index % 3 === 0 ? before : after;
      const reservationId = `res_${index}`;
      // some lapse before others are made
      const now = 900 + index;
      const request = { accountId: "acct_1", period, granted: 1000, reservationId, now, lapsesAt: now + 5 };
      await storage.ledger.reserve(request);
      if (index % 2 === 0) await storage.ledger.settle({ reservationId, now: now + (index % 10) });
    };
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => reserveAndSettle(index % 2 === 0 ? one : other, index)),
    );
    const lines = await one.ledger.journal({ accountId: "acct_1", limit: 10_000 });
    for (const period of [before, after]) {
      const { granted, used, reserved } = await one.ledger.balance({
        accountId: "acct_1",
        period,
        granted: 1000,
        now: 10_000,
      });
      const count = (kind: string): number =>
        lines.filter((line) => line.kind === kind && line.periodStartedAt === period.startedAt).length;
      expect(granted).toBe(1000);
      expect(used).toBe(count("settle"));
      expect(reserved).toBe(0);
    }
  });

  it("lock the balances of old reservations in the order of their periods", async () => {
    const { one, url } = await openTwo();
    const reserve = (reservationId: string, startedAt: number, lapsesAt: number): Promise<unknown> => {
      const period = { startedAt, resetsAt: startedAt + 1000 };
      return one.ledger.reserve({ accountId: "acct_1", period, granted: 1, reservationId, now: 1, lapsesAt });
    };
    // by id and by the instant of lapsing, the later period comes first
    await reserve("res_1", 1000, 800);
    await reserve("res_2", 0, 900);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const lock = (startedAt: number): Promise<unknown> =>
      other.query(`SELECT 1 FROM snap.balances WHERE period_started_at = ${startedAt} FOR UPDATE NOWAIT`);
    await other.query("BEGIN");
    await lock(0);
    const pruning = one.ledger.prune({
      now: 1000,
      reservationsBefore: "res_3",
      periodsBefore: null,
      limit: 10,
    });
    try {
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await expect.poll(() => execute(url, waiting)).toHaveLength(1);
      await lock(1000);
    } finally {
      await other.end();
    }
    expect(await pruning).toBe(2);
  });

  it("are notified of a batch that another storage inserts", async () => {
    const { one, other } = await openTwo();
    let calls = 0;
    const watch = await other.batches.watch(() => (calls += 1));
    await one.batches.insert(sampleBatch("batch_1"));
    await expect.poll(() => calls).toBeGreaterThan(0);
    await watch.stop();
  });

  it("are not notified of a batch that is rolled back", async () => {
    const { one, other } = await openTwo();
    let calls = 0;
    const watch = await other.batches.watch(() => (calls += 1));
    await expect.poll(() => calls).toBe(1); // wakes once when it starts to listen
    await one.batches.insert(sampleBatch("batch_1"));
    await expect.poll(() => calls).toBe(2);
    await expect(one.batches.insert(sampleBatch("batch_1"))).rejects.toThrow("batches_id_key");
    // notifications arrive in the order of commits
    await one.batches.insert(sampleBatch("batch_2"));
    await expect.poll(() => calls).toBe(3);
    await watch.stop();
  });

  it("are notified again after their connection is lost", async () => {
    const { one, other, url } = await openTwo();
    let calls = 0;
    const watch = await other.batches.watch(() => (calls += 1));
    await expect.poll(() => calls).toBe(1);
    const terminateListeners =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'snap batches'";
    await execute(url, `${terminateListeners} AND datname = current_database()`);
    // wakes once when it listens again
    await expect.poll(() => calls).toBe(2);
    await one.batches.insert(sampleBatch("batch_1"));
    await expect.poll(() => calls).toBe(3);
    await watch.stop();
  });
});
