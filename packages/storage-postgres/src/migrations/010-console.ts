/** The history, operators' sign-ins, and attempts to deliver webhooks. Adds only tables and indexes. */
export const consoleTables = `
CREATE TABLE snap.history (
  id TEXT COLLATE "C" PRIMARY KEY,
  at BIGINT NOT NULL,
  request_id TEXT COLLATE "C",
  batch_id TEXT,
  account_id TEXT COLLATE "C" NOT NULL,
  token_id BIGINT NOT NULL,
  entry_point TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C",
  host TEXT COLLATE "C",
  -- JSON objects and arrays, stored as text to preserve every byte.
  parameters TEXT,
  notes TEXT NOT NULL,
  code TEXT COLLATE "C",
  is_failure BOOLEAN NOT NULL GENERATED ALWAYS AS (code IS NOT NULL) STORED,
  message TEXT,
  duration_ms BIGINT NOT NULL,
  cache TEXT COLLATE "C",
  credit_cost INTEGER NOT NULL,
  key TEXT,
  etag TEXT,
  bytes BIGINT,
  target_status INTEGER,
  expires_at BIGINT
);
CREATE INDEX history_by_request ON snap.history (request_id, at) WHERE request_id IS NOT NULL;
CREATE INDEX history_by_token ON snap.history (token_id, at);
CREATE INDEX history_by_account ON snap.history (account_id, at);
CREATE INDEX history_by_host ON snap.history (host, at) WHERE host IS NOT NULL;
CREATE INDEX history_by_code ON snap.history (code, at) WHERE code IS NOT NULL;
-- Includes the code, so counting failures needs only the index.
CREATE INDEX history_by_failure ON snap.history (is_failure, at) INCLUDE (code);
CREATE INDEX history_by_cache ON snap.history (cache, at) WHERE cache IS NOT NULL;
CREATE INDEX history_by_entry_point ON snap.history (entry_point, at);
CREATE INDEX history_by_mode ON snap.history (mode, at) WHERE mode IS NOT NULL;
CREATE INDEX history_by_instant ON snap.history (at);

CREATE TABLE snap.usage_totals (
  day TEXT COLLATE "C" NOT NULL,
  token_id BIGINT NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  renders BIGINT NOT NULL,
  hits BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  credits BIGINT NOT NULL,
  render_ms BIGINT NOT NULL,
  longest_render_ms BIGINT NOT NULL,
  PRIMARY KEY (day, token_id)
);
CREATE INDEX usage_by_account ON snap.usage_totals (account_id, day);
CREATE INDEX usage_by_token ON snap.usage_totals (token_id, day);

CREATE TABLE snap.sign_ins (
  kind TEXT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (kind, hash)
);
CREATE INDEX sign_ins_by_expiry ON snap.sign_ins (expires_at);

CREATE TABLE snap.delivery_attempts (
  batch BIGINT NOT NULL REFERENCES snap.batches (sequence) ON DELETE CASCADE,
  id TEXT COLLATE "C" PRIMARY KEY,
  account_id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  attempt INTEGER NOT NULL,
  duration_ms BIGINT NOT NULL,
  status INTEGER,
  failure TEXT,
  body TEXT
);
CREATE INDEX attempts_by_batch ON snap.delivery_attempts (batch, id);
CREATE INDEX attempts_by_account ON snap.delivery_attempts (account_id, id);
`;
