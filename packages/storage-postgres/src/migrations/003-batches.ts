/**
 * Batches, which are also the queue of their items and the outbox of their webhooks. The indexes that the queues use
 * contain only unfinished rows, so reading a queue costs the same after a million batches.
 */
export const batches = `
CREATE TABLE snap.batches (
  -- Order of submission.
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  account_id TEXT COLLATE "C" NOT NULL,
  -- No foreign key: a token may be revoked before its batches are pruned.
  token_id BIGINT NOT NULL,
  webhook_url TEXT,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  prunes_at BIGINT
);
CREATE INDEX unfinished_batches ON snap.batches (created_at) WHERE finished_at IS NULL;
CREATE INDEX batches_by_pruning ON snap.batches (prunes_at) WHERE prunes_at IS NOT NULL;

CREATE TABLE snap.batch_items (
  batch BIGINT NOT NULL REFERENCES snap.batches (sequence) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  key TEXT NOT NULL,
  -- JSON objects, as text, so they are returned byte for byte.
  parameters TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Copied from the state. claimable_at is NULL once the item is done or failed.
  status TEXT NOT NULL CHECK (status = state::json ->> 'status'),
  claimable_at BIGINT CHECK (claimable_at IS NOT DISTINCT FROM
    coalesce(state::json ->> 'dueAt', state::json ->> 'leaseEndsAt')::NUMERIC),
  PRIMARY KEY (batch, position)
);
-- Finds the first item of an account in one step; includes id and status, so reads need only the index.
CREATE INDEX unfinished_items ON snap.batch_items (account_id, claimable_at, batch, position)
  INCLUDE (id, status) WHERE claimable_at IS NOT NULL;

CREATE TABLE snap.deliveries (
  batch BIGINT PRIMARY KEY REFERENCES snap.batches (sequence) ON DELETE CASCADE,
  account_id TEXT COLLATE "C" NOT NULL,
  -- A JSON object.
  state TEXT NOT NULL,
  -- NULL once it is delivered or abandoned.
  claimable_at BIGINT CHECK (claimable_at IS NOT DISTINCT FROM
    coalesce(state::json ->> 'dueAt', state::json ->> 'leaseEndsAt')::NUMERIC)
);
CREATE INDEX open_deliveries ON snap.deliveries (account_id, claimable_at, batch) WHERE claimable_at IS NOT NULL;

CREATE TYPE snap.batch_row AS (
  sequence BIGINT, id TEXT, account_id TEXT, token_id BIGINT, webhook_url TEXT, created_at BIGINT,
  finished_at BIGINT, prunes_at BIGINT, delivery TEXT, item_id TEXT, parameters TEXT, key TEXT, state TEXT
);

CREATE FUNCTION snap.find_batch(in_id TEXT) RETURNS SETOF snap.batch_row LANGUAGE SQL STABLE AS $$
  SELECT sequence, batches.id, batches.account_id, token_id, webhook_url, created_at, finished_at, prunes_at,
    deliveries.state, item.id, parameters, key, item.state
  FROM snap.batches JOIN snap.batch_items AS item ON item.batch = sequence
    LEFT JOIN snap.deliveries ON deliveries.batch = sequence
  WHERE batches.id = in_id ORDER BY position
$$;

-- Locks in one statement and reads in the next: a statement that waits for a lock would read the items as they were
-- before the wait.
CREATE FUNCTION snap.hold_batch(in_id TEXT) RETURNS SETOF snap.batch_row LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM snap.batches WHERE id = in_id FOR UPDATE;
  RETURN QUERY SELECT * FROM snap.find_batch(in_id);
END $$;
`;
