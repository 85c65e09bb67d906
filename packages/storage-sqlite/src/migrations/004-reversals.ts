/**
 * Adds the reversal of a settled reservation. The SQLite that is bundled with Node.js 22 cannot alter a CHECK constraint, so
 * both tables are copied.
 */
export const reversals = `
CREATE TABLE new_reservations (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL,
  period_started_at INTEGER NOT NULL,
  lapses_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'refused', 'settled', 'refunded', 'lapsed', 'reversed'))
) STRICT, WITHOUT ROWID;
INSERT INTO new_reservations SELECT id, account_id, period_started_at, lapses_at, state FROM reservations;
DROP TABLE reservations;
ALTER TABLE new_reservations RENAME TO reservations;
CREATE INDEX open_reservations ON reservations (account_id, lapses_at) WHERE state = 'open';

CREATE TABLE new_journal (
  sequence INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  period_started_at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'reserve', 'settle', 'refund', 'lapse', 'reverse')),
  credits INTEGER NOT NULL,
  reservation_id TEXT,
  at INTEGER NOT NULL
) STRICT;
INSERT INTO new_journal
  SELECT sequence, account_id, period_started_at, kind, credits, reservation_id, at FROM journal;
-- Drops its triggers too, without running them (SQLite documentation, DROP TABLE).
DROP TABLE journal;
ALTER TABLE new_journal RENAME TO journal;
CREATE TRIGGER journal_keeps_its_lines BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_keeps_all_lines BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;
