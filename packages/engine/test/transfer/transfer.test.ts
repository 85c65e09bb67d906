import { describe, expect, it } from "vitest";
import type {
  JournalEntry,
  TransferTotals,
  TransferPage,
  TransferSource,
  TransferTarget,
} from "../../src/ports/index.ts";
import { transfer, type TransferProgress } from "../../src/transfer/transfer.ts";

const TOTALS: TransferTotals = {
  accounts: 0,
  tokens: 0,
  lastTokenId: 7,
  balances: 0,
  granted: 0,
  used: 0,
  reserved: 0,
  reservations: 0,
  openReservations: 0,
  journalLines: 3,
  journalGranted: 3,
  journalReserved: 0,
  journalSettled: 0,
  journalRefunded: 0,
  journalLapsed: 0,
  journalReversed: 0,
  batches: 0,
  batchItems: 0,
  unfinishedItems: 0,
  deliveries: 0,
  openDeliveries: 0,
  idempotencyKeys: 0,
  documents: 0,
  documentBytes: 0,
};

const entryAt = (at: number): JournalEntry => ({
  accountId: "acct_1",
  periodStartedAt: 0,
  kind: "grant",
  credits: 1,
  reservationId: null,
  at,
});

/** A source with three journal entries, one per page. */
function sourceOf(change: Partial<TransferSource> = {}): TransferSource {
  return {
    fingerprint: "one",
    totals: async () => TOTALS,
    async read(position): Promise<TransferPage | null> {
      const index = Number(position ?? 0);
      return index < 3 ? { kind: "journal", records: [entryAt(index)], next: String(index + 1) } : null;
    },
    async close() {},
    ...change,
  };
}

interface FakeTarget extends TransferTarget {
  readonly writtenInstants: number[];
  /** Makes writes fail after this many. */
  failAfter(writes: number): void;
}

function createTarget(change: Partial<TransferTarget> = {}): FakeTarget {
  const writtenInstants: number[] = [];
  let state: Awaited<ReturnType<TransferTarget["begin"]>> | null = null;
  let writesLeft = Infinity;
  let lastTokenId = 0;
  return {
    writtenInstants,
    failAfter: (writes) => (writesLeft = writes),
    begin: async (fingerprint) => (state ??= { fingerprint, position: null, moved: 0, finished: null }),
    async write({ position, page }) {
      if (state === null || state.position !== position || page.kind !== "journal") throw new Error("lost");
      if ((writesLeft -= 1) < 0) throw new Error("cut");
      writtenInstants.push(...page.records.map(({ at }) => at));
      state = { ...state, position: page.next, moved: state.moved + page.records.length };
    },
    async continueTokenIds(id) {
      lastTokenId = id;
    },
    totals: async () => ({
      ...TOTALS,
      journalLines: writtenInstants.length,
      journalGranted: writtenInstants.length,
      lastTokenId,
    }),
    async finish(totals) {
      if (state !== null) state = { ...state, finished: totals };
    },
    async close() {},
    ...change,
  };
}

describe("transfer", () => {
  it("moves every page, reports progress and compares the totals", async () => {
    const target = createTarget();
    const reports: TransferProgress[] = [];
    const outcome = await transfer({
      source: sourceOf(),
      target,
      onProgress: (progress) => reports.push(progress),
    });
    expect(target.writtenInstants).toEqual([0, 1, 2]);
    expect(outcome).toEqual({ source: TOTALS, target: TOTALS, moved: 3, wasFinished: false });
    expect(reports.map(({ kind, moved, total }) => [kind, moved, total])).toEqual([
      ["journal", 1, 3],
      ["journal", 2, 3],
      ["journal", 3, 3],
    ]);
  });

  it.each([0, 1, 2])("resumes after %i pages", async (writes) => {
    const target = createTarget();
    target.failAfter(writes);
    await expect(transfer({ source: sourceOf(), target })).rejects.toThrow("cut");
    target.failAfter(Infinity);
    const reports: number[] = [];
    const outcome = await transfer({
      source: sourceOf(),
      target,
      onProgress: ({ moved }) => reports.push(moved),
    });
    expect(target.writtenInstants).toEqual([0, 1, 2]);
    expect(outcome.moved).toBe(3 - writes);
    expect(reports.at(-1)).toBe(3);
  });

  it("moves nothing after a completed migration", async () => {
    const target = createTarget();
    await transfer({ source: sourceOf(), target });
    // a copy of the source has a different fingerprint because of its modification time
    const repeated = await transfer({ source: sourceOf({ fingerprint: "copy" }), target });
    expect(repeated).toEqual({ source: TOTALS, target: TOTALS, moved: 0, wasFinished: true });
    expect(target.writtenInstants).toEqual([0, 1, 2]);
  });

  it("rejects a source that was used after the migration", async () => {
    const target = createTarget();
    await transfer({ source: sourceOf(), target });
    const used = sourceOf({ totals: async () => ({ ...TOTALS, journalLines: 4, journalSettled: 1 }) });
    await expect(transfer({ source: used, target })).rejects.toThrow(
      "new records cannot be added: journalLines 4 in the source, 3 when it was moved; " +
        "journalSettled 1 in the source, 0 when it was moved",
    );
  });

  it("rejects a source that has changed since the migration began", async () => {
    const target = createTarget();
    target.failAfter(1);
    await expect(transfer({ source: sourceOf(), target })).rejects.toThrow("cut");
    await expect(transfer({ source: sourceOf({ fingerprint: "other" }), target })).rejects.toThrow(
      "the source has changed since the migration into this target began, or is a different one; empty the target and start again",
    );
    expect(target.writtenInstants).toEqual([0]);
  });

  it("names the differences, and does not complete the migration, if the totals do not match", async () => {
    let isFinished = false;
    const target = createTarget({
      totals: async () => ({ ...TOTALS, used: 5, journalLines: 2 }),
      finish: async () => void (isFinished = true),
    });
    await expect(transfer({ source: sourceOf(), target })).rejects.toThrow(
      "the target does not match the source: used 0 in the source, 5 in the target; " +
        "journalLines 3 in the source, 2 in the target",
    );
    expect(isFinished).toBe(false);
  });
});
