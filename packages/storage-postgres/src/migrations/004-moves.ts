/** The progress of a data migration from another storage, written in the same transactions as the records. */
export const moves = `
CREATE TABLE snap.moves (
  -- At most one row: only one storage can be moved into a database.
  is_only BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  -- Fingerprint of the source at the start of the move.
  mark TEXT NOT NULL,
  -- Position of the next page, which only the source interprets; NULL at the start.
  position TEXT,
  moved BIGINT NOT NULL DEFAULT 0,
  begun_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  finished_at TIMESTAMPTZ,
  -- Totals of the source, a JSON object; NULL until the move is complete.
  figures TEXT
);
`;
