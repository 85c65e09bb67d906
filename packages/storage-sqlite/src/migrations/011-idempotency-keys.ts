/** The idempotency keys of submissions. A row is deleted with its batch. */
export const idempotencyKeys = `
CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  -- Hash of the key, and digest of the submission.
  key_hash TEXT NOT NULL,
  digest TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Deferred: the key is claimed before its batch is inserted.
  batch_id TEXT NOT NULL UNIQUE REFERENCES batches (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (account_id, key_hash)
) STRICT, WITHOUT ROWID;
`;
