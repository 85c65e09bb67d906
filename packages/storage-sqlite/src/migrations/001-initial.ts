/** All instants are milliseconds since the Unix epoch. */
export const initial = `
CREATE TABLE accounts (
  -- Order of creation.
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- NOCASE folds only ASCII letters, as the port requires.
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  email_verified_at INTEGER,
  plan_slug TEXT,
  credits_per_period INTEGER,
  requests_per_minute INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  -- AUTOINCREMENT: ids are never reused, even after a revocation.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- Separated by single spaces.
  abilities TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  sealed_signing_secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  rotated_at INTEGER
) STRICT;
CREATE INDEX tokens_by_account ON tokens (account_id);

CREATE TABLE balances (
  account_id TEXT NOT NULL,
  period_started_at INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  PRIMARY KEY (account_id, period_started_at)
) STRICT, WITHOUT ROWID;

-- No foreign key to balances: it would need an index as large as this table.
CREATE TABLE reservations (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL,
  period_started_at INTEGER NOT NULL,
  lapses_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'refused', 'settled', 'refunded', 'lapsed'))
) STRICT, WITHOUT ROWID;
-- Only open reservations can lapse, so the index is as small as the number of running renders.
CREATE INDEX open_reservations ON reservations (account_id, lapses_at) WHERE state = 'open';

CREATE TABLE journal (
  sequence INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  period_started_at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'reserve', 'settle', 'refund', 'lapse')),
  credits INTEGER NOT NULL,
  reservation_id TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_by_account ON journal (account_id);
CREATE TRIGGER journal_keeps_its_lines BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_keeps_all_lines BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TABLE renderings (
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  content_type TEXT NOT NULL,
  target_status INTEGER,
  -- A JSON array of strings.
  notes TEXT NOT NULL,
  etag TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Last, so reading the other columns does not load its pages.
  bytes BLOB NOT NULL,
  UNIQUE (account_id, key)
) STRICT;
CREATE INDEX renderings_by_expiry ON renderings (expires_at);

CREATE TABLE budgets (
  account_id TEXT NOT NULL,
  budget TEXT NOT NULL,
  spent INTEGER NOT NULL,
  resets_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, budget)
) STRICT, WITHOUT ROWID;

-- check() writes and empties it, to test whether the database accepts writes.
CREATE TABLE write_checks (id INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;
`;
