import type { UsageReport } from "./documents.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { Mode } from "./parameters/row.ts";

/*
 * The JSON documents of the admin API (`/admin/v1`), of the lists under `/v1/renders` and of the
 * commands with `--json`. Date-times are ISO 8601 in UTC. Lists of requests, batches and delivery
 * attempts are newest first; accounts and tokens are in order of creation.
 */

/** A page of a list. To get the next page, send the id of the last entry as `after`. */
export interface AdminList<Entry> {
  readonly entries: readonly Entry[];
  readonly has_more: boolean;
}

/** A page of a list, with the number of remaining entries. */
export interface AdminCountedList<Entry> extends AdminList<Entry> {
  /** Number of entries after this page. */
  readonly more: number;
}

export interface AdminAccount {
  readonly id: string;
  readonly email: string;
  readonly verified_at: string | null;
  /** Slug of the plan. */
  readonly plan: string | null;
  /** Overrides the plan's credits per period. */
  readonly credits_per_period: number | null;
  /** Overrides the plan's render limit. */
  readonly requests_per_minute: number | null;
  readonly created_at: string;
  readonly suspended_at: string | null;
  readonly deletion_started_at: string | null;
}

/** An account with its credits and its tokens. */
export interface AdminAccountDetails extends AdminAccount {
  readonly usage: UsageReport;
  readonly tokens: readonly AdminToken[];
}

/** What was deleted with an account. */
export interface AdminDeletedAccount {
  readonly deleted: true;
  readonly id: string;
  readonly tokens: number;
  readonly batches: number;
  readonly documents: number;
  readonly renderings: number;
  /** Number of requests in the history. */
  readonly requests: number;
  /** `null` if the journal was not deleted. */
  readonly journal_entries: number | null;
}

interface DeletionPreview {
  readonly deleted: false;
  readonly id: string;
  readonly token_ids: readonly number[];
  /** Whether the journal would also be deleted. */
  readonly purge: boolean;
}

/** What a deletion would delete. If the account's fields are missing, the account is already deleted. */
export type AdminDeletionPreview = DeletionPreview | (AdminAccount & DeletionPreview);

export interface AdminPlan {
  readonly slug: string;
  readonly name: string;
  readonly credits_per_period: number;
  readonly requests_per_minute: number;
}

export interface AdminToken {
  readonly id: number;
  readonly account_id: string;
  readonly name: string | null;
  readonly abilities: readonly Mode[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly rotated_at: string | null;
  /** When the previous credentials stop working; `null` if none still work. */
  readonly overlap_ends_at: string | null;
  /** Precise to the hour. */
  readonly last_used_at: string | null;
}

/** A token that was created or rotated. Only this document contains the token itself. */
export interface AdminMintedToken extends AdminToken {
  readonly token: string;
  readonly signing_secret: string;
}

/** A token with the secret that signs its URLs and webhooks. */
export interface AdminRevealedToken extends AdminToken {
  readonly signing_secret: string;
}

/** A revoked token. */
export interface AdminRevokedToken {
  readonly id: number;
  readonly revoked: true;
}

/** An account's revoked tokens. */
export interface AdminRevokedTokens {
  readonly ids: readonly number[];
  readonly revoked: true;
}

/**
 * Entry point of a request: `snap` is `GET /snap`, `signed` a signed URL, `captures` is
 * `POST /captures`, `mcp` a tool, `batch` a batch item, `engine` a call to `capture()`.
 */
export type AdminEntryPoint = "snap" | "signed" | "captures" | "mcp" | "batch" | "engine";

/** One capture, charged or not. */
export interface AdminRequest {
  readonly id: string;
  /** When it finished. */
  readonly at: string;
  readonly request_id: string | null;
  readonly batch_id: string | null;
  readonly account_id: string;
  readonly token_id: number;
  readonly entry_point: AdminEntryPoint;
  readonly mode: Mode | null;
  readonly host: string | null;
  /**
   * Without defaults; secrets are `[secret]`. `null` if they are invalid or longer than 64 KiB, or if the request was
   * rejected before they were read.
   */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** HTTP status of the result: 200, or the status of `code`. */
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly message: string | null;
  readonly duration_ms: number;
  readonly cache: "HIT" | "MISS" | null;
  readonly credit_cost: 0 | 1;
  readonly etag: string | null;
  readonly bytes: number | null;
  readonly target_status: number | null;
  readonly notes: readonly string[];
  readonly expires_at: string | null;
}

/** One attempt to deliver a webhook. */
export interface DeliveryAttemptDocument {
  readonly id: string;
  readonly batch_id: string;
  readonly at: string;
  readonly attempt: number;
  readonly duration_ms: number;
  /** Whether the receiver acknowledged it with a 2xx status. */
  readonly delivered: boolean;
  /** Status of the receiver's response; `null` if there was no valid one. */
  readonly status: number | null;
  /** Why there was no valid response, such as `timed-out`; `null` if there was one. */
  readonly failure: string | null;
  /** The first 2 KiB of the response, with `[path]` for the path and query of the webhook's URL. */
  readonly body: string | null;
}

/** The webhook of a batch in a list. */
export interface BatchWebhookDocument {
  readonly url: string;
  /** `waiting`: the batch is not complete. `abandoned`: no more attempts follow. */
  readonly status: "waiting" | "due" | "sending" | "delivered" | "abandoned";
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly delivered_at: string | null;
}

/** A batch in a list. */
export interface BatchSummaryDocument {
  readonly id: string;
  readonly status: "pending" | "complete";
  readonly created_at: string;
  readonly finished_at: string | null;
  /** When it will be deleted; `null` until it is complete. */
  readonly prunes_at: string | null;
  readonly webhook: BatchWebhookDocument | null;
  /** Number of items in each state. */
  readonly items: Readonly<Record<"queued" | "rendering" | "done" | "failed", number>>;
}

/** The webhook of a batch, for the operator. */
export interface AdminBatchWebhook extends BatchWebhookDocument {
  /** When the running attempt's lease expires; `null` if none is running. */
  readonly lease_ends_at: string | null;
}

/** A batch in a list of all accounts. */
export interface AdminBatchSummary extends BatchSummaryDocument {
  readonly account_id: string;
  readonly token_id: number;
  readonly webhook: AdminBatchWebhook | null;
}

export interface AdminBatch extends Omit<AdminBatchSummary, "items"> {
  readonly items: readonly AdminBatchItem[];
}

export interface AdminBatchItem {
  readonly id: string;
  readonly url: string;
  /** Without defaults; secrets are `[secret]`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly cache_key: string;
  readonly status: "queued" | "rendering" | "done" | "failed";
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  readonly etag: string | null;
  readonly target_status: number | null;
  readonly expires_at: string | null;
  readonly credit_cost: 0 | 1 | null;
  readonly notes: readonly string[];
  /**
   * Number of times a worker started it, except starts after which it was postponed; `null`, like the following fields,
   * once it is finished.
   */
  readonly starts: number | null;
  /** The fencing token of the latest claim. */
  readonly fence: number | null;
  /** When a temporary failure, such as a rate limit, first postponed it; `null` if none has. */
  readonly limited_since: string | null;
  /** When it will be started next; `null` while it is rendering. */
  readonly due_at: string | null;
  /** When its worker's lease expires. */
  readonly lease_ends_at: string | null;
}

/**
 * Totals of captures. `day`, `account_id` and `token_id` are `null` unless the totals are grouped by them;
 * those of a token also have its account.
 */
export interface AdminUsage {
  /** A UTC date. */
  readonly day: string | null;
  readonly account_id: string | null;
  readonly token_id: number | null;
  readonly renders: number;
  readonly hits: number;
  readonly failures: number;
  readonly credits: number;
  /** Mean duration of a render; `null` if there were no renders. */
  readonly mean_render_ms: number | null;
  readonly longest_render_ms: number;
}

/** An existing or likely problem with the service. */
export interface AdminProblem {
  /** `problem`: something does not work. `warning`: the service works, but something should be fixed. */
  readonly status: "problem" | "warning";
  /** The code that `snap-server doctor --json` reports. */
  readonly code: string;
  readonly message: string;
  /** How to fix it. */
  readonly advice: string | null;
}

/**
 * The state of the service. Parts that cannot be read within a second are `null`; `today`,
 * `failures` and `activity`, which come from the history, are zero or empty.
 */
export interface AdminHealth {
  readonly version: string;
  readonly ready: boolean;
  readonly problems: readonly AdminProblem[];
  readonly renders: { readonly running: number; readonly waiting: number };
  readonly batches: {
    readonly queued_items: number;
    readonly rendering_items: number;
    readonly open_deliveries: number;
  } | null;
  /** Also `null` if the storage does not report it. */
  readonly cache: {
    readonly bytes: number;
    readonly max_bytes: number | null;
    readonly free_bytes: number | null;
  } | null;
  /** `null` before the first backup, with PostgreSQL, or if it cannot be read. */
  readonly last_backup_at: string | null;
  /**
   * Whether this process records requests (SNAP_HISTORY). The following fields count those of all
   * processes.
   */
  readonly history: boolean;
  /** Today, in UTC. */
  readonly today: {
    readonly renders: number;
    readonly hits: number;
    readonly failures: number;
    readonly credits: number;
  };
  /** Failures of the last 24 hours that are listed in the history, by code, most frequent first. */
  readonly failures: readonly { readonly code: ErrorCode; readonly count: number }[];
  /** The last 60 minutes, one entry per minute, oldest first. */
  readonly activity: readonly { readonly at: string; readonly renders: number; readonly failures: number }[];
}

/** The authenticated operator. */
export interface AdminSession {
  /** The user in the audit log. */
  readonly user: "console" | "admin token";
  /** When the session ends; `null` for the admin token, which does not expire. */
  readonly expires_at: string | null;
}
