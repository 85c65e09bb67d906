/** Names tokens, records their last use and the secrets of an overlap, and adds the audit log of operators' commands. */
export const tokensAndAudit = `
ALTER TABLE tokens ADD COLUMN name TEXT;
-- Rounded down to the hour.
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
-- The secrets before the last rotation, which still work until previous_ends_at; all NULL without an overlap.
ALTER TABLE tokens ADD COLUMN previous_secret_hash BLOB;
ALTER TABLE tokens ADD COLUMN previous_sealed_signing_secret BLOB;
ALTER TABLE tokens ADD COLUMN previous_ends_at INTEGER;

CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  command TEXT NOT NULL,
  -- A JSON array of strings.
  subjects TEXT NOT NULL,
  user TEXT NOT NULL,
  host TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_instant ON audit (at);
`;
