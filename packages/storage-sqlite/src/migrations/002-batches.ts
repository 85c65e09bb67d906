/**
 * Batches, which are also the queue of their items and the outbox of their webhooks. The indexes that the queues use
 * contain only unfinished rows, so reading a queue costs the same after a million batches.
 */
export const batches = `
CREATE TABLE batches (
  -- Order of submission.
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  -- No foreign key: a token may be revoked before its batches are pruned.
  token_id INTEGER NOT NULL,
  webhook_url TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  prunes_at INTEGER
) STRICT;
CREATE INDEX unfinished_batches ON batches (created_at) WHERE finished_at IS NULL;
CREATE INDEX batches_by_pruning ON batches (prunes_at) WHERE prunes_at IS NOT NULL;

CREATE TABLE batch_items (
  batch INTEGER NOT NULL REFERENCES batches (sequence) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- A JSON object.
  parameters TEXT NOT NULL,
  -- A JSON object, from which the next two columns are copied. Not generated columns: an index over those never
  -- covers a query.
  state TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = state ->> 'status'),
  -- NULL once the item is done or failed.
  claimable_at INTEGER CHECK (claimable_at IS coalesce(state ->> 'dueAt', state ->> 'leaseEndsAt')),
  PRIMARY KEY (batch, position)
) STRICT;
-- Finds the first item of an account in one step; includes the status, so counting needs only the index.
CREATE INDEX unfinished_items ON batch_items (account_id, claimable_at, batch, position, status)
  WHERE claimable_at IS NOT NULL;

CREATE TABLE deliveries (
  batch INTEGER PRIMARY KEY REFERENCES batches (sequence) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  -- A JSON object.
  state TEXT NOT NULL,
  -- NULL once the delivery is delivered or abandoned.
  claimable_at INTEGER CHECK (claimable_at IS coalesce(state ->> 'dueAt', state ->> 'leaseEndsAt'))
) STRICT;
CREATE INDEX open_deliveries ON deliveries (account_id, claimable_at, batch) WHERE claimable_at IS NOT NULL;
`;
