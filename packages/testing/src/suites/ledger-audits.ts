import type { Ledger, PeriodAudit } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { balance, MARCH, APRIL, NEXT_REQUEST, NOW, REQUEST, reservation } from "./ledger-samples.ts";
import type { DefineTest } from "./suite.ts";

/** Tests that an audit returns the figures of every period, in portions. */
export function testAudits(test: DefineTest<"ledger">): void {
  test("returns the balance, the journal and the open reservations of each period", async ({ ledger }) => {
    await ledger.balance({ ...REQUEST, granted: 5 });
    for (const id of ["settled", "refunded", "reversed"]) await ledger.reserve(reservation(id));
    await ledger.reserve(reservation("lapsed", { lapsesAt: NOW + 1 }));
    await ledger.reserve(reservation("open", { lapsesAt: APRIL.resetsAt }));
    await ledger.settle({ reservationId: "settled", now: NOW });
    await ledger.refund({ reservationId: "refunded", now: NOW });
    await ledger.settle({ reservationId: "reversed", now: NOW });
    await ledger.reverse({ reservationId: "reversed", now: NOW });
    assert.equal(await ledger.settle({ reservationId: "lapsed", now: NOW + 1 }), "lapsed");
    await ledger.balance(NEXT_REQUEST);
    assert.deepEqual(await ledger.audit({ after: null, limit: 10 }), {
      periods: [
        {
          ...auditOf("acct_1", MARCH.startedAt),
          ...inBalanceAndJournal(balance(10, 1, 1)),
          openReservations: 1,
        },
        auditOf("acct_1", APRIL.startedAt),
      ],
      next: null,
    });
  });

  test("returns portions in order of account id", async ({ ledger }) => {
    const ids = ["acct_b", "acct_d", "acct_a", "acct_e", "acct_c"];
    for (const accountId of ids) {
      await ledger.balance({ ...REQUEST, accountId });
      await ledger.balance({ ...NEXT_REQUEST, accountId });
    }
    for (let limit = 1; limit <= ids.length + 1; limit += 1)
      assert.deepEqual(
        await readAudit(ledger, { limit }),
        ids.toSorted().flatMap((id) => [auditOf(id, MARCH.startedAt), auditOf(id, APRIL.startedAt)]),
      );
  });

  test("returns only the periods of one account", async ({ ledger }) => {
    for (const accountId of ["acct_1", "acct_10", "acct_2"]) await ledger.balance({ ...REQUEST, accountId });
    const audit = (accountId: string): ReturnType<Ledger["audit"]> =>
      ledger.audit({ after: null, limit: 10, accountId });
    assert.deepEqual(await audit("acct_1"), { periods: [auditOf("acct_1", MARCH.startedAt)], next: null });
    assert.deepEqual(await audit("acct_3"), { periods: [], next: null });
  });

  test("returns one account's periods even if more accounts than the limit come before it", async ({
    ledger,
  }) => {
    for (const accountId of ["acct_1", "acct_2", "acct_3"]) await ledger.balance({ ...REQUEST, accountId });
    for (const limit of [1, 2])
      assert.deepEqual(await readAudit(ledger, { limit, accountId: "acct_3" }), [
        auditOf("acct_3", MARCH.startedAt),
      ]);
  });
}

function auditOf(accountId: string, periodStartedAt: number): PeriodAudit {
  return {
    accountId,
    periodStartedAt,
    ...inBalanceAndJournal(balance(10, 0, 0)),
    beginsWithGrant: true,
    openReservations: 0,
  };
}

function inBalanceAndJournal(figures: PeriodAudit["balance"]): Pick<PeriodAudit, "balance" | "journal"> {
  return { balance: figures, journal: figures };
}

/** Reads every portion. */
async function readAudit(
  ledger: Ledger,
  request: Omit<Parameters<Ledger["audit"]>[0], "after">,
): Promise<readonly PeriodAudit[]> {
  const periods: PeriodAudit[] = [];
  for (let after: string | null = null; ;) {
    const portion = await ledger.audit({ ...request, after });
    periods.push(...portion.periods);
    if (portion.next === null) return periods;
    after = portion.next;
  }
}
