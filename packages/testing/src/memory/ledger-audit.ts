import type { AuditPortion, Balance, JournalEntry, JournalKind, Ledger } from "@snap/engine/ports";
import type { Reservation } from "./ledger.ts";

/** The balance is computed from the journal, so they always agree. */
export function audit(
  journal: readonly JournalEntry[],
  reservations: ReadonlyMap<string, Reservation>,
  { after, limit, accountId }: Parameters<Ledger["audit"]>[0],
): AuditPortion {
  const open = [...reservations.values()].filter(({ state }) => state === "open");
  const all = Map.groupBy(journal, (entry) => entry.accountId);
  const ids = [...all.keys()]
    .filter((id) => id > (after ?? "") && (accountId ?? id) === id)
    .toSorted()
    .slice(0, limit);
  const periods = ids.flatMap((id) =>
    Array.from(
      Map.groupBy(all.get(id) ?? [], (entry) => entry.periodStartedAt),
      ([periodStartedAt, entries]) => ({
        accountId: id,
        periodStartedAt,
        balance: computeBalance(entries),
        journal: computeBalance(entries),
        beginsWithGrant: entries[0]?.kind === "grant",
        openReservations: open.filter(
          (reservation) => reservation.accountId === id && reservation.periodStartedAt === periodStartedAt,
        ).length,
      }),
    ).toSorted((a, b) => a.periodStartedAt - b.periodStartedAt),
  );
  return { periods, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
}

/** Returns the balance of one period from its journal. */
export function computeBalance(lines: readonly JournalEntry[]): Balance {
  const moved: Record<JournalKind, number> = {
    grant: 0,
    reserve: 0,
    settle: 0,
    refund: 0,
    lapse: 0,
    reverse: 0,
  };
  for (const { kind, credits } of lines) moved[kind] += credits;
  return {
    granted: moved.grant,
    used: moved.settle - moved.reverse,
    reserved: moved.reserve - moved.settle - moved.refund - moved.lapse,
  };
}
