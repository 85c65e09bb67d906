/**
 * Adds suspensions and deletions of accounts, and allows whole periods to be pruned from the ledger. Adds
 * columns, a table and indexes, and replaces a trigger with a less strict one.
 */
export const accountEnds = `
ALTER TABLE accounts ADD COLUMN suspended_at INTEGER;
ALTER TABLE accounts ADD COLUMN deletion_started_at INTEGER;

-- Accounts that are being deleted, or were in the last day: nothing new is stored for them.
CREATE TABLE deletions (
  -- SHA-256 of the account id, so no id remains.
  digest TEXT NOT NULL PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX batches_by_account ON batches (account_id);
-- Renders change neither column, so the index costs them nothing.
CREATE INDEX balances_by_period ON balances (period_started_at);

-- An entry may be deleted only after the balance that it proves.
DROP TRIGGER journal_keeps_all_lines;
CREATE TRIGGER journal_keeps_whole_periods BEFORE DELETE ON journal
WHEN EXISTS (
  SELECT 1 FROM balances WHERE account_id = OLD.account_id AND period_started_at = OLD.period_started_at
)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;
