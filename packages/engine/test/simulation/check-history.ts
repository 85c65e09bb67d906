import type { TestAccount } from "./test-accounts.ts";
import type { World } from "./world.ts";

/** More entries than a simulation creates. */
const ALL = 100_000;

/** Checks that the history lists each item at most once, and counts no more charges than the ledger. */
export async function checkHistory(world: World, { accountId }: TestAccount): Promise<void> {
  const { ledger, history } = world.storage;
  const { entries } = await history.page({ accountId, entryPoint: "batch", limit: ALL });
  const items = entries.map(({ requestId }) => requestId);
  if (new Set(items).size !== items.length)
    world.reportViolation("the history lists an item twice", accountId);
  const charges = { settle: 1, reverse: -1 } as const;
  const journal = await ledger.journal({ accountId, limit: ALL });
  const chargedCredits = journal
    .map(({ kind, credits }) => (kind in charges ? charges[kind as keyof typeof charges] * credits : 0))
    .reduce((sum, credits) => sum + credits, 0);
  const usage = await history.usage({ from: "2026-01-01", to: "2026-12-31", accountId, by: "account" });
  const countedCredits = usage.reduce((sum, { credits }) => sum + credits, 0);
  if (world.conditions.isCalm ? countedCredits !== chargedCredits : countedCredits > chargedCredits)
    world.reportViolation(
      `the history counts ${countedCredits} charges, but the ledger has ${chargedCredits}`,
      accountId,
    );
}
