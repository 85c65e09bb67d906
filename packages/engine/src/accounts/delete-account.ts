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
  /** `null` if the journal was kept. */
  readonly journalEntries: number | null;
}

/** What a deletion would delete, besides all batches, documents and renderings of the account. */
export interface DeletionPreview {
  /** `null` if the account has been deleted and only its journal is left. */
  readonly account: Account | null;
  readonly tokens: readonly TokenRecord[];
}

export type DeletionStores = Pick<
  Storage,
  "accounts" | "tokens" | "batches" | "documents" | "renderings" | "rateLimiter" | "ledger"
>;

/**
 * Deletes an account and everything of it; with `purge` also its ledger, which otherwise remains under the account's random
 * id. Each step can be repeated, and the account itself goes last, so an interrupted deletion is finished by another call.
 *
 * @throws AdminError if the account does not exist.
 */
export async function deleteAccount(
  { accounts, tokens, batches, documents, renderings, rateLimiter, ledger }: DeletionStores,
  { id, purge, now }: { readonly id: string; readonly purge: boolean; readonly now: number },
): Promise<DeletedAccount> {
  const account = await accounts.startDeletion({ id, now });
  if (account === null && !purge) {
    // an earlier deletion may have been interrupted in its last step
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
    journalEntries: purge ? await ledger.deleteAccount({ accountId }) : null,
  };
  await rateLimiter.deleteAccount({ accountId });
  await accounts.delete({ id, now });
  // an account that was deleted before may have left its ledger
  if (account === null && deleted.journalEntries === 0) throw accountNotFound(id);
  return deleted;
}

/**
 * Returns what `deleteAccount` would delete; changes nothing.
 *
 * @throws AdminError if the account does not exist and, with `purge`, has left no journal.
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
