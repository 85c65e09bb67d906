/** Names tokens, records their last use and the secrets of an overlap, and adds the audit log of operators' commands. */
export const tokensAndAudit = `
ALTER TABLE snap.tokens
  ADD COLUMN name TEXT,
  -- Rounded down to the hour.
  ADD COLUMN last_used_at BIGINT,
  -- The secrets before the last rotation, which still work until previous_ends_at; all NULL without an overlap.
  ADD COLUMN previous_secret_hash BYTEA,
  ADD COLUMN previous_sealed_signing_secret BYTEA,
  ADD COLUMN previous_ends_at BIGINT;

CREATE TABLE snap.audit (
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at BIGINT NOT NULL,
  command TEXT NOT NULL,
  -- A JSON array of strings.
  subjects TEXT NOT NULL,
  "user" TEXT NOT NULL,
  host TEXT NOT NULL
);
CREATE INDEX audit_by_instant ON snap.audit (at);
`;
