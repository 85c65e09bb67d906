import { accountNotFound } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Storage } from "../ports/storage.ts";
import type { TokenRecord } from "../ports/tokens.ts";

/** What was deleted with an account. */
export interface DeletedAccount {
  readonly id: string;
  readonly tokens: number;
  readonly batches: number;
  readonly documents: number;
  readonly renderings: number;
  /** Finished captures in the history. */
  readonly requests: number;
  /** `null` if the journal was not deleted. */
  readonly journalEntries: number | null;
}

/** What a deletion would delete, in addition to the account's batches, documents, renderings and history. */
export interface DeletionPreview {
  /** `null` if the account has been deleted and only its journal is left. */
  readonly account: Account | null;
  readonly tokens: readonly TokenRecord[];
}

export type DeletionStores = Pick<
  Storage,
  "accounts" | "tokens" | "batches" | "documents" | "renderings" | "history" | "rateLimiter" | "ledger"
>;

/**
 * Deletes an account and everything that belongs to it. The ledger remains under the account's random id,
 * unless `purge` is set. Each step is idempotent and the account itself is deleted last, so calling this again
 * finishes an interrupted deletion.
 *
 * @throws AdminError if the account does not exist and, with `purge`, left no journal behind.
 */
export async function deleteAccount(
  { accounts, tokens, batches, documents, renderings, history, rateLimiter, ledger }: DeletionStores,
  { id, purge, now }: { readonly id: string; readonly purge: boolean; readonly now: number },
): Promise<DeletedAccount> {
  const account = await accounts.startDeletion({ id, now });
  if (account === null && !purge) {
    // an earlier deletion may have been interrupted during its last step
    await accounts.delete({ id, now });
    throw accountNotFound(id);
  }
  const accountId = id;
  const deleted = {
    id,
    tokens: (await tokens.revokeAll(accountId)).length,
    batches: await batches.deleteAccount({ accountId }),
    documents: await documents.deleteAccount({ accountId, now }),
    renderings: await renderings.deleteAccount({ accountId, now }),
    requests: await history.deleteAccount({ accountId }),
    journalEntries: purge ? await ledger.deleteAccount({ accountId }) : null,
  };
  await rateLimiter.deleteAccount({ accountId });
  await accounts.delete({ id, now });
  // an account deleted earlier may have left its ledger behind
  if (account === null && deleted.journalEntries === 0) throw accountNotFound(id);
  return deleted;
}

/**
 * Returns the account and tokens that `deleteAccount` would delete; changes nothing.
 *
 * @throws AdminError if the account does not exist and, with `purge`, left no journal behind.
 */
export async function previewDeletion(
  { accounts, tokens, ledger }: Pick<DeletionStores, "accounts" | "tokens" | "ledger">,
  { id, purge }: { readonly id: string; readonly purge: boolean },
): Promise<DeletionPreview> {
  const account = await accounts.find(id);
  if (account !== null) return { account, tokens: await tokens.listByAccount(id) };
  const journal = purge ? await ledger.journal({ accountId: id, limit: 1 }) : [];
  if (journal.length === 0) throw accountNotFound(id);
  return { account: null, tokens: [] };
}
