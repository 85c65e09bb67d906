import type { AuditPortion, Ledger, PeriodAudit } from "@snap/engine/ports";
import { isStorable, type Query } from "../database.ts";

interface AuditRow extends Pick<
  PeriodAudit,
  "accountId" | "periodStartedAt" | "beginsWithGrant" | "openReservations"
> {
  readonly hasBalance: boolean;
  readonly granted: number;
  readonly used: number;
  readonly reserved: number;
  readonly entries: number;
  readonly journalGranted: number;
  readonly journalUsed: number;
  readonly journalReserved: number;
}

/**
 * `$1` id before the portion, `$2` limit of accounts, `$3` the only account. One statement, so the figures
 * are consistent while other processes write.
 */
const AUDIT = `WITH portion AS (
    SELECT max(account_id) AS last, count(*) AS size FROM (
      SELECT DISTINCT account_id FROM snap.balances
      WHERE account_id > $1 AND ($3::TEXT IS NULL OR account_id = $3)
      ORDER BY account_id LIMIT $2
    ) AS ids
  ), figures AS (
    SELECT account_id, period_started_at, NULL::BIGINT AS sequence, 'balance' AS kind, 0 AS credits,
      granted, used, reserved FROM snap.balances
    UNION ALL
    SELECT account_id, period_started_at, NULL, 'open', 0, 0, 0, 0 FROM snap.reservations WHERE state = 'open'
    UNION ALL
    SELECT account_id, period_started_at, sequence, kind, credits, 0, 0, 0 FROM snap.journal
  )
  SELECT account_id AS "accountId", period_started_at AS "periodStartedAt",
    bool_or(kind = 'balance') AS "hasBalance",
    sum(granted)::BIGINT AS granted, sum(used)::BIGINT AS used, sum(reserved)::BIGINT AS reserved,
    count(*) FILTER (WHERE kind = 'open') AS "openReservations",
    count(sequence) AS entries,
    coalesce(min(sequence) = min(sequence) FILTER (WHERE kind = 'grant'), FALSE) AS "beginsWithGrant",
    coalesce(sum(credits) FILTER (WHERE kind = 'grant'), 0)::BIGINT AS "journalGranted",
    sum(CASE kind WHEN 'settle' THEN credits WHEN 'reverse' THEN -credits ELSE 0 END)::BIGINT AS "journalUsed",
    sum(CASE WHEN kind = 'reserve' THEN credits WHEN kind IN ('settle', 'refund', 'lapse') THEN -credits ELSE 0 END)
      ::BIGINT AS "journalReserved"
  FROM figures, portion
  WHERE account_id > $1 AND (size < $2 OR account_id <= last) AND ($3::TEXT IS NULL OR account_id = $3)
  GROUP BY account_id, period_started_at ORDER BY account_id, period_started_at`;

/** Returns `Ledger.audit`: one scan of the journal for each portion. */
export function createAudit(query: Query): Ledger["audit"] {
  return async ({ after, limit, accountId }) => {
    if (!isStorable(accountId ?? "")) return { periods: [], next: null };
    const periods = (await query<AuditRow>(AUDIT, [after ?? "", limit, accountId ?? null])).map(toPeriod);
    return { periods, next: nextOf(periods, limit) };
  };
}

function toPeriod(row: AuditRow): PeriodAudit {
  const { accountId, periodStartedAt, beginsWithGrant, openReservations, granted, used, reserved } = row;
  const journal = { granted: row.journalGranted, used: row.journalUsed, reserved: row.journalReserved };
  return {
    accountId,
    periodStartedAt,
    balance: row.hasBalance ? { granted, used, reserved } : null,
    journal: row.entries === 0 ? null : journal,
    beginsWithGrant,
    openReservations,
  };
}

/** A portion with fewer accounts than the limit is the last one. */
function nextOf(periods: readonly PeriodAudit[], limit: number): AuditPortion["next"] {
  const accountIds = new Set(periods.map(({ accountId }) => accountId));
  return accountIds.size < limit ? null : (periods.at(-1)?.accountId ?? null);
}
