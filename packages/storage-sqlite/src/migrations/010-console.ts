/**
 * The history, operators' sign-ins, and attempts to deliver webhooks.
 *
 * When SQLite moves a row to another page, it can leave a copy behind, which `secure_delete` does not erase. The
 * history's text is therefore in append-only tables, and is overwritten in place before its rows are deleted. Its
 * other tables and indexes contain only numbers, ids and fixed words, such as error codes.
 */
export const consoleTables = `
CREATE TABLE history_accounts (
  number INTEGER PRIMARY KEY,
  -- FNV-1a hash of the id.
  hash INTEGER NOT NULL,
  -- Zeros after the account is deleted.
  account_id TEXT NOT NULL
) STRICT;
CREATE INDEX history_accounts_by_hash ON history_accounts (hash);

CREATE TABLE history_texts (
  sequence INTEGER PRIMARY KEY,
  -- A JSON object; zeros after the entry is deleted.
  content TEXT NOT NULL
) STRICT;

CREATE TABLE history_slices (
  -- First instant; the slice ends where the next one starts.
  start INTEGER PRIMARY KEY,
  -- Number of entries added while this slice was the latest.
  entries INTEGER NOT NULL
) STRICT;
INSERT INTO history_slices (start, entries) VALUES (${Number.MIN_SAFE_INTEGER}, 0);

CREATE TABLE history (
  -- The sequence in history_texts.
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  -- Start of the entry's slice.
  slice INTEGER NOT NULL,
  account INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  entry_point TEXT NOT NULL,
  mode TEXT,
  -- FNV-1a hashes of the host and of the request id.
  host INTEGER,
  request INTEGER,
  code TEXT,
  duration_ms INTEGER NOT NULL,
  cache TEXT,
  credit_cost INTEGER NOT NULL,
  bytes INTEGER,
  target_status INTEGER,
  expires_at INTEGER
) STRICT;
CREATE INDEX history_by_request ON history (slice, request) WHERE request IS NOT NULL;
CREATE INDEX history_by_token ON history (slice, token_id, at);
CREATE INDEX history_by_account ON history (slice, account, at);
CREATE INDEX history_by_host ON history (slice, host, at) WHERE host IS NOT NULL;
CREATE INDEX history_by_code ON history (code, at) WHERE code IS NOT NULL;
-- Includes the code, so counting failures needs only the index.
CREATE INDEX history_by_success ON history ((code IS NULL), at, code);
CREATE INDEX history_by_cache ON history (cache, at) WHERE cache IS NOT NULL;
CREATE INDEX history_by_entry_point ON history (entry_point, at);
CREATE INDEX history_by_mode ON history (mode, at) WHERE mode IS NOT NULL;
CREATE INDEX history_by_instant ON history (at);

CREATE TABLE usage_totals (
  day TEXT NOT NULL,
  token_id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  renders INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  render_ms INTEGER NOT NULL,
  longest_render_ms INTEGER NOT NULL,
  PRIMARY KEY (day, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_account ON usage_totals (account, day);
CREATE INDEX usage_by_token ON usage_totals (token_id, day);

CREATE TABLE sign_ins (
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at);

CREATE TABLE delivery_attempts (
  batch INTEGER NOT NULL REFERENCES batches (sequence) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  failure TEXT,
  body TEXT
) STRICT;
CREATE INDEX attempts_by_batch ON delivery_attempts (batch, id);
CREATE INDEX attempts_by_account ON delivery_attempts (account_id, id);
`;
