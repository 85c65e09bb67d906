/** The idempotency keys of submissions. A row is deleted with its batch. Adds only a table. */
export const idempotencyKeys = `
CREATE TABLE snap.idempotency_keys (
  account_id TEXT COLLATE "C" NOT NULL,
  -- Hash of the key, and digest of the submission.
  key_hash TEXT COLLATE "C" NOT NULL,
  digest TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- Deferred: the key is claimed before its batch is inserted.
  batch_id TEXT COLLATE "C" NOT NULL UNIQUE
    REFERENCES snap.batches (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (account_id, key_hash)
);
`;
