import { describe, expect, it } from "vitest";
import { verifyLedger, type LedgerReport } from "../../src/credits/verify-ledger.ts";
import type { AuditPortion, PeriodAudit } from "../../src/ports/ledger.ts";

const figures = { granted: 10, used: 3, reserved: 2 };
const sound: PeriodAudit = {
  accountId: "acct_1",
  periodStartedAt: 0,
  balance: figures,
  journal: figures,
  beginsWithGrant: true,
  openReservations: 2,
};
const DAY_MS = 86_400_000;
const NOW = 65 * DAY_MS;
const empty = { granted: 0, used: 0, reserved: 0 };

/** Verifies a ledger whose audit returns these portions, one per call. */
function verify(...portions: readonly (readonly PeriodAudit[])[]): Promise<LedgerReport> {
  const ledger = {
    audit: ({ after }: { readonly after: string | null }): Promise<AuditPortion> => {
      const index = Number(after ?? "0");
      const isLast = index === portions.length - 1;
      return Promise.resolve({ periods: portions[index] ?? [], next: isLast ? null : String(index + 1) });
    },
  };
  return verifyLedger(ledger, { now: NOW });
}

describe("verifyLedger", () => {
  it.each<[string, Partial<PeriodAudit>, "verified" | "incomplete" | "differs"]>([
    ["a sound period", {}, "verified"],
    ["more granted than in the journal", { balance: { ...figures, granted: 11 } }, "differs"],
    ["less used than in the journal", { balance: { ...figures, used: 2 } }, "differs"],
    [
      "more reserved than in the journal",
      { balance: { ...figures, reserved: 3 }, openReservations: 3 },
      "differs",
    ],
    ["an open reservation that is not counted as reserved", { openReservations: 3 }, "differs"],
    ["a balance without a journal", { journal: null, beginsWithGrant: false }, "incomplete"],
    [
      "a period without credits",
      { balance: empty, journal: null, beginsWithGrant: false, openReservations: 0 },
      "verified",
    ],
    ["a journal without a balance", { balance: null, openReservations: 0 }, "differs"],
    [
      "a journal that is being pruned, after its balance",
      { balance: null, openReservations: 0, periodStartedAt: NOW - 66 * DAY_MS },
      "incomplete",
    ],
    [
      "a journal that is being pruned, with an open reservation",
      { balance: null, periodStartedAt: NOW - 66 * DAY_MS },
      "differs",
    ],
    ["a journal without its beginning", { journal: empty, beginsWithGrant: false }, "incomplete"],
    [
      "a journal without its beginning, and reserved credits without an open reservation",
      { journal: empty, beginsWithGrant: false, openReservations: 0 },
      "differs",
    ],
  ])('reports $0 as "$2"', async (_name, change, result) => {
    const { verifiedPeriods, incompletePeriods, differences } = await verify([{ ...sound, ...change }]);
    expect(verifiedPeriods + incompletePeriods).toBe(1);
    const found = incompletePeriods === 1 ? "incomplete" : "verified";
    expect(differences.length === 1 ? "differs" : found).toBe(result);
  });

  it("reads every portion, and names the differences", async () => {
    const wrong = { ...sound, accountId: "acct_2", balance: { ...figures, used: 4 } };
    expect(await verify([sound], [sound, wrong], [sound])).toEqual({
      verifiedPeriods: 4,
      incompletePeriods: 0,
      differences: [
        {
          accountId: "acct_2",
          periodStartedAt: 0,
          balance: { granted: 10, used: 4, reserved: 2 },
          journal: figures,
          openReservations: 2,
        },
      ],
    });
  });
});
