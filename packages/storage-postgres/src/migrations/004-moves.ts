/** The progress of a move from another storage, written in the same transactions as the records. */
export const moves = `
CREATE TABLE snap.moves (
  -- One at the most: a database takes in one storage, while it is empty.
  is_only BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  -- Names the source as it was when the move began.
  mark TEXT NOT NULL,
  -- Where the next page begins, as the source has it; NULL at the start.
  position TEXT,
  moved BIGINT NOT NULL DEFAULT 0,
  begun_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  finished_at TIMESTAMPTZ,
  -- A JSON object: what the source held; NULL until the move is finished.
  figures TEXT
);
`;
