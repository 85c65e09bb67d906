import type {
  AdminAccount,
  AdminAccountDetails,
  AdminBatch,
  AdminBatchSummary,
  AdminCountedList,
  AdminDeletedAccount,
  AdminDeletionPreview,
  AdminMintedToken,
  AdminPlan,
  AdminRevealedToken,
  AdminRevokedToken,
  AdminRevokedTokens,
  AdminToken,
  DeliveryAttemptDocument,
} from "@snap/protocol";
import type {
  AccountChangeInput,
  AccountDeletion,
  AccountQuery,
  BatchQuery,
  NewAccountInput,
  NewTokenInput,
  TokenRotation,
} from "../inputs.ts";

/**
 * The operations behind the commands and the admin API. They return JSON documents, and run directly on an
 * engine (`localOperations`) or through a service's admin API (`remoteOperations`). Every method throws
 * `AdminError` if the operation cannot be performed.
 */
export interface AdminOperations {
  readonly plans: () => Promise<readonly AdminPlan[]>;
  readonly accounts: AccountOperations;
  readonly tokens: TokenOperations;
  readonly batches: BatchOperations;
}

export interface AccountOperations {
  page(query: AccountQuery): Promise<AdminCountedList<AdminAccount>>;
  get(id: string): Promise<AdminAccountDetails>;
  /** Case-insensitive for ASCII letters. */
  getByEmail(email: string): Promise<AdminAccount>;
  create(account: NewAccountInput): Promise<AdminAccount>;
  update(id: string, change: AccountChangeInput): Promise<AdminAccount>;
  verify(id: string): Promise<AdminAccount>;
  suspend(id: string): Promise<AdminAccount>;
  resume(id: string): Promise<AdminAccount>;
  delete(id: string, deletion: AccountDeletion): Promise<AdminDeletedAccount | AdminDeletionPreview>;
}

export interface TokenOperations {
  /** Returns all tokens of an account, in order of creation. */
  list(accountId: string): Promise<readonly AdminToken[]>;
  get(id: number): Promise<AdminToken>;
  create(token: NewTokenInput): Promise<AdminMintedToken>;
  rotate(id: number, rotation: TokenRotation): Promise<AdminMintedToken>;
  revoke(id: number): Promise<AdminRevokedToken>;
  revokeAll(accountId: string): Promise<AdminRevokedTokens>;
  reveal(id: number): Promise<AdminRevealedToken>;
}

export interface BatchOperations {
  page(query: BatchQuery): Promise<AdminCountedList<AdminBatchSummary>>;
  get(id: string): Promise<AdminBatch>;
  /** Returns the latest attempts to deliver the webhook, newest first. */
  attempts(id: string, limit: number): Promise<readonly DeliveryAttemptDocument[]>;
  /** Schedules another delivery of the webhook. */
  redeliver(id: string): Promise<AdminBatch>;
}
