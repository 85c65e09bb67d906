/** All instants are milliseconds since the Unix epoch. */
export const initial = `
CREATE TABLE snap.accounts (
  -- Order of creation.
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_verified_at BIGINT,
  plan_slug TEXT,
  credits_per_period BIGINT,
  requests_per_minute BIGINT,
  created_at BIGINT NOT NULL
);
-- The collation "C" folds only ASCII letters, as the port requires.
CREATE UNIQUE INDEX accounts_by_email ON snap.accounts (lower(email COLLATE "C") COLLATE "C");

CREATE TABLE snap.tokens (
  -- Ids are never reused, even after a revocation.
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id TEXT COLLATE "C" NOT NULL REFERENCES snap.accounts (id),
  -- Separated by single spaces.
  abilities TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  sealed_signing_secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  rotated_at BIGINT
);
CREATE INDEX tokens_by_account ON snap.tokens (account_id);

-- Free space on each page lets PostgreSQL update a balance without changing an index (HOT update).
CREATE TABLE snap.balances (
  account_id TEXT COLLATE "C" NOT NULL,
  period_started_at BIGINT NOT NULL,
  granted BIGINT NOT NULL,
  used BIGINT NOT NULL DEFAULT 0 CHECK (used >= 0),
  reserved BIGINT NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  PRIMARY KEY (account_id, period_started_at)
) WITH (fillfactor = 50);

CREATE TABLE snap.reservations (
  id TEXT COLLATE "C" PRIMARY KEY,
  account_id TEXT COLLATE "C" NOT NULL,
  period_started_at BIGINT NOT NULL,
  lapses_at BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'refused', 'settled', 'refunded', 'lapsed'))
);
-- Only open reservations can lapse, so the index is as small as the number of running renders.
CREATE INDEX open_reservations ON snap.reservations (account_id, lapses_at) WHERE state = 'open';

-- Every render writes to it, and only audits read it: an index on accounts would cost each render a page write.
CREATE TABLE snap.journal (
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id TEXT COLLATE "C" NOT NULL,
  period_started_at BIGINT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'reserve', 'settle', 'refund', 'lapse')),
  credits BIGINT NOT NULL,
  reservation_id TEXT,
  at BIGINT NOT NULL
);
CREATE FUNCTION snap.refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$;
CREATE TRIGGER journal_keeps_its_lines BEFORE UPDATE OR DELETE OR TRUNCATE ON snap.journal
  FOR EACH STATEMENT EXECUTE FUNCTION snap.refuse_change();

-- check() writes and empties it, to test whether the database accepts writes.
CREATE TABLE snap.write_checks (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, filler TEXT NOT NULL);
`;
