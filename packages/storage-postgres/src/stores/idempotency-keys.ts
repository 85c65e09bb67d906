import type { BatchRecord, IdempotencyClaim, IdempotencyHolder } from "@snap/engine/ports";
import type { Query } from "../database.ts";
import { toBatch, type BatchRow } from "./batch-rows.ts";

/** Returns no row if the key is taken, but locks the row that has it. `$6` is the current time. */
const CLAIM = `INSERT INTO snap.idempotency_keys AS claim (account_id, key_hash, digest, expires_at, batch_id)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (account_id, key_hash) DO UPDATE
    SET digest = excluded.digest, expires_at = excluded.expires_at, batch_id = excluded.batch_id
    WHERE claim.expires_at <= $6
      OR EXISTS (SELECT 1 FROM snap.batches WHERE id = claim.batch_id AND prunes_at <= $6)
  RETURNING batch_id`;

const FIND_HOLDER = `SELECT batch.*, digest FROM snap.idempotency_keys, snap.find_batch(batch_id) AS batch
  WHERE idempotency_keys.account_id = $1 AND key_hash = $2`;

/**
 * Claims the key for a batch that is inserted next; returns the batch that has the key, if it is another one. Requires a
 * transaction: until it ends, that batch cannot be deleted.
 */
export async function claimKey(
  query: Query,
  {
    batch: { id, accountId, createdAt: now },
    claim: { keyHash, digest, expiresAt },
  }: { readonly batch: BatchRecord; readonly claim: IdempotencyClaim },
): Promise<IdempotencyHolder | null> {
  const claimed = await query(CLAIM, [accountId, keyHash, digest, expiresAt, id, now]);
  if (claimed.length > 0) return null;
  const rows = await query<BatchRow & { readonly digest: string }>(FIND_HOLDER, [accountId, keyHash]);
  const batch = toBatch(rows);
  // the first transaction had committed when its connection was lost
  if (batch === null || batch.id === id) return null;
  return { batch, digest: rows[0]?.digest ?? "" };
}
