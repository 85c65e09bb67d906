import type { ErrorCode } from "./error-codes.ts";

/*
 * The JSON documents of the contract (interface.md, Resources and their fields). Date-times are
 * ISO 8601 in UTC.
 */

/** A plan as the usage report names it. */
export interface UsagePlan {
  readonly name: string;
  readonly slug: string;
}

/** The body of `GET /usage`. */
export interface UsageReport {
  readonly credits: {
    readonly remaining: number;
    readonly used: number;
    readonly total: number;
  };
  readonly plan: UsagePlan | null;
  readonly period: { readonly started_at: string; readonly resets_at: string } | null;
  readonly rate_limit: {
    readonly requests_per_minute: number;
    readonly cached_requests_per_minute: number;
  };
}

/** The statuses known today. The set may grow: one not recognised means not finished yet. */
export type BatchItemStatus = "queued" | "rendering" | "done" | "failed";

/** One render of a batch. */
export interface BatchItem {
  /** Stable for the life of the batch. */
  readonly id: string;
  /** The page that this item renders. */
  readonly url: string;
  // The empty intersection keeps the known values in an editor's list.
  readonly status: BatchItemStatus | (string & {});
  /** `null` unless failed. */
  readonly error: { readonly code: ErrorCode | (string & {}); readonly message: string } | null;
  readonly etag: string | null;
  /** What the page itself answered; `null` means not known, not 200. */
  readonly target_status: number | null;
  /** When the cached rendering lapses. */
  readonly expires_at: string | null;
  /** Fetches the rendering without a token; `null` when it would not work. */
  readonly signed_url: string | null;
  /** 1 for a render, 0 for a cache hit and for a failure, `null` until the item is terminal. */
  readonly credit_cost: 0 | 1 | null;
}

/** A batch as submission, polling and the webhook give it. */
export interface RenderBatch {
  readonly id: string;
  /** `complete` once every item is terminal. */
  readonly status: "pending" | "complete";
  readonly created_at: string;
  readonly finished_at: string | null;
  /** When the record is deleted; moves later while the batch runs. */
  readonly prunes_at: string;
  /** `null` when no delivery was asked for. */
  readonly webhook: { readonly url: string; readonly delivered_at: string | null } | null;
  /** In the order of submission. */
  readonly items: readonly BatchItem[];
}
