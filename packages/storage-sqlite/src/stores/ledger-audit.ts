import type { AuditPortion, Ledger, PeriodAudit } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

interface AuditRow extends Pick<PeriodAudit, "accountId" | "periodStartedAt" | "openReservations"> {
  readonly hasBalance: number;
  readonly granted: number;
  readonly used: number;
  readonly reserved: number;
  readonly entries: number;
  readonly beginsWithGrant: number;
  readonly journalGranted: number;
  readonly journalUsed: number;
  readonly journalReserved: number;
}

/** One statement, so the figures are consistent while other processes write. */
const AUDIT = `WITH portion AS (
    SELECT max(account_id) AS last, count(*) AS size FROM (
      SELECT DISTINCT account_id FROM balances
      WHERE account_id > :after AND (:accountId IS NULL OR account_id = :accountId)
      ORDER BY account_id LIMIT :limit
    )
  ), figures AS (
    SELECT account_id, period_started_at, NULL AS sequence, 'balance' AS kind, 0 AS credits, granted, used, reserved
      FROM balances
    UNION ALL
    SELECT account_id, period_started_at, NULL, 'open', 0, 0, 0, 0 FROM reservations WHERE state = 'open'
    UNION ALL
    SELECT account_id, period_started_at, sequence, kind, credits, 0, 0, 0 FROM journal
  )
  SELECT account_id AS accountId, period_started_at AS periodStartedAt,
    count(*) FILTER (WHERE kind = 'balance') AS hasBalance,
    sum(granted) AS granted, sum(used) AS used, sum(reserved) AS reserved,
    count(*) FILTER (WHERE kind = 'open') AS openReservations,
    count(sequence) AS entries,
    min(sequence) IS min(sequence) FILTER (WHERE kind = 'grant') AS beginsWithGrant,
    total(credits) FILTER (WHERE kind = 'grant') AS journalGranted,
    total(CASE kind WHEN 'settle' THEN credits WHEN 'reverse' THEN -credits END) AS journalUsed,
    total(CASE kind WHEN 'reserve' THEN credits WHEN 'settle' THEN -credits WHEN 'refund' THEN -credits
      WHEN 'lapse' THEN -credits END) AS journalReserved
  FROM figures, portion
  WHERE account_id > :after AND (size < :limit OR account_id <= last)
    AND (:accountId IS NULL OR account_id = :accountId)
  GROUP BY account_id, period_started_at ORDER BY account_id, period_started_at`;

/** Returns `Ledger.audit`: one scan of the journal for each portion. */
export function prepareAudit(database: DatabaseSync): Ledger["audit"] {
  const audit = prepare<AuditRow>(database, AUDIT);
  return async ({ after, limit, accountId }) => {
    const periods = audit.all({ after: after ?? "", limit, accountId: accountId ?? null }).map(toPeriod);
    return { periods, next: nextOf(periods, limit) };
  };
}

function toPeriod(row: AuditRow): PeriodAudit {
  const { accountId, periodStartedAt, openReservations, granted, used, reserved } = row;
  const journal = { granted: row.journalGranted, used: row.journalUsed, reserved: row.journalReserved };
  return {
    accountId,
    periodStartedAt,
    balance: row.hasBalance === 0 ? null : { granted, used, reserved },
    journal: row.entries === 0 ? null : journal,
    beginsWithGrant: row.entries > 0 && row.beginsWithGrant === 1,
    openReservations,
  };
}

/** A portion with fewer accounts than the limit is the last one. */
function nextOf(periods: readonly PeriodAudit[], limit: number): AuditPortion["next"] {
  const accountIds = new Set(periods.map(({ accountId }) => accountId));
  return accountIds.size < limit ? null : (periods.at(-1)?.accountId ?? null);
}
