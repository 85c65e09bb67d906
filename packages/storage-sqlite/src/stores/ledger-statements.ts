import type { Balance, JournalEntry, ReservationRecord } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare, type Statement } from "../prepare.ts";

export interface LedgerStatements {
  readonly findBalance: Statement<Balance & { readonly isOverdue: number }>;
  readonly findGrant: Statement<Pick<Balance, "granted">>;
  readonly grant: Statement<Balance>;
  readonly adjustBalance: Statement<never>;
  readonly findReservation: Statement<ReservationRecord>;
  readonly findOverdue: Statement<ReservationRecord>;
  readonly reserve: Statement<never>;
  readonly resolve: Statement<never>;
  readonly record: Statement<never>;
  readonly journal: Statement<JournalEntry>;
  readonly findOpenBefore: Statement<ReservationRecord>;
  readonly pruneReservations: Statement<never>;
  readonly pruneBalances: Statement<never>;
  readonly pruneJournal: Statement<never>;
}

/** A reservation's columns, aliased to the names of its fields. */
export const RESERVATION_COLUMNS =
  "id, account_id AS accountId, period_started_at AS periodStartedAt, lapses_at AS lapsesAt, state";

/** A journal entry's columns, aliased to the names of its fields. */
export const JOURNAL_COLUMNS = `account_id AS accountId, period_started_at AS periodStartedAt, kind, credits,
  reservation_id AS reservationId, at`;

export function prepareLedgerStatements(database: DatabaseSync): LedgerStatements {
  return {
    findBalance: prepare(
      database,
      `SELECT granted, used, reserved, EXISTS (
         SELECT 1 FROM reservations WHERE account_id = :accountId AND state = 'open' AND lapses_at <= :now
       ) AS isOverdue
       FROM balances WHERE account_id = :accountId AND period_started_at = :periodStartedAt`,
    ),
    findGrant: prepare(
      database,
      `SELECT granted FROM balances WHERE account_id = :accountId AND period_started_at = :periodStartedAt`,
    ),
    grant: prepare(
      database,
      `INSERT INTO balances (account_id, period_started_at, granted)
       VALUES (:accountId, :periodStartedAt, :granted)
       ON CONFLICT (account_id, period_started_at) DO UPDATE SET granted = excluded.granted
       RETURNING granted, used, reserved`,
    ),
    adjustBalance: prepare(
      database,
      `UPDATE balances SET used = used + :used, reserved = reserved + :reserved
       WHERE account_id = :accountId AND period_started_at = :periodStartedAt`,
    ),
    findReservation: prepare(database, `SELECT ${RESERVATION_COLUMNS} FROM reservations WHERE id = :id`),
    findOverdue: prepare(
      database,
      `SELECT ${RESERVATION_COLUMNS} FROM reservations
       WHERE account_id = :accountId AND state = 'open' AND lapses_at <= :now ORDER BY lapses_at`,
    ),
    reserve: prepare(
      database,
      `INSERT INTO reservations (id, account_id, period_started_at, lapses_at, state)
       VALUES (:id, :accountId, :periodStartedAt, :lapsesAt, :state) ON CONFLICT (id) DO NOTHING`,
    ),
    resolve: prepare(database, "UPDATE reservations SET state = :state WHERE id = :id"),
    record: prepare(
      database,
      `INSERT INTO journal (account_id, period_started_at, kind, credits, reservation_id, at)
       VALUES (:accountId, :periodStartedAt, :kind, :credits, :reservationId, :at)`,
    ),
    journal: prepare(
      database,
      `SELECT ${JOURNAL_COLUMNS} FROM journal WHERE account_id = :accountId ORDER BY sequence DESC LIMIT :limit`,
    ),
    ...preparePruning(database),
  };
}

/** Reservations and the journal are pruned from their start, so neither needs an index that every render would write. */
function preparePruning(
  database: DatabaseSync,
): Pick<LedgerStatements, "findOpenBefore" | "pruneReservations" | "pruneBalances" | "pruneJournal"> {
  return {
    findOpenBefore: prepare(
      database,
      `SELECT ${RESERVATION_COLUMNS} FROM reservations INDEXED BY open_reservations
       WHERE state = 'open' AND id < :reservationsBefore LIMIT :limit`,
    ),
    pruneReservations: prepare(
      database,
      `DELETE FROM reservations WHERE id IN
         (SELECT id FROM reservations WHERE id < :reservationsBefore AND state <> 'open' ORDER BY id LIMIT :limit)`,
    ),
    pruneBalances: prepare(
      database,
      `DELETE FROM balances WHERE (account_id, period_started_at) IN (
         SELECT account_id, period_started_at FROM balances WHERE period_started_at < :periodsBefore AND NOT EXISTS (
           SELECT 1 FROM reservations WHERE reservations.account_id = balances.account_id AND state = 'open'
             AND reservations.period_started_at = balances.period_started_at
         ) LIMIT :limit)`,
    ),
    pruneJournal: prepare(
      database,
      `DELETE FROM journal WHERE sequence IN (
         SELECT sequence FROM (SELECT * FROM journal ORDER BY sequence LIMIT :limit) AS oldest
         WHERE period_started_at < :periodsBefore AND NOT EXISTS (
           SELECT 1 FROM balances WHERE balances.account_id = oldest.account_id
             AND balances.period_started_at = oldest.period_started_at
         ))`,
    ),
  };
}
