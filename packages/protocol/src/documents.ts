import type { ErrorCode } from "./error-codes.ts";

/* The JSON documents of the API (docs/reference/specification.md). Date-times are ISO 8601 in UTC. */

/** A plan in the usage report. */
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

/** More statuses may be added: treat an unknown one as unfinished. */
export type BatchItemStatus = "queued" | "rendering" | "done" | "failed";

/** One capture of a batch. */
export interface BatchItem {
  /** Stable for the life of the batch. */
  readonly id: string;
  /** The page that this item renders. */
  readonly url: string;
  // the empty intersection preserves autocompletion of the known values
  readonly status: BatchItemStatus | (string & {});
  /** `null` unless failed. */
  readonly error: { readonly code: ErrorCode | (string & {}); readonly message: string } | null;
  readonly etag: string | null;
  /** HTTP status of the page itself; `null` if unknown. */
  readonly target_status: number | null;
  /** When the cached rendering expires. */
  readonly expires_at: string | null;
  /** Downloads the rendering without a token; `null` if no link is available. */
  readonly signed_url: string | null;
  /** 1 for a render, 0 for a cache hit or a failure, `null` until the item is done or failed. */
  readonly credit_cost: 0 | 1 | null;
  /** Notes on the render, as in the `X-Render-Notes` header; absent if there are none. */
  readonly notes?: readonly string[] | undefined;
  /** Where the rendering was stored, as in the `X-Stored-Location` header; absent without `storeTo`. */
  readonly stored_location?: string | undefined;
}

/** A batch: the response to its submission and to each poll, and the body of its webhook. */
export interface RenderBatch {
  readonly id: string;
  /** `complete` once every item is done or failed. */
  readonly status: "pending" | "complete";
  readonly created_at: string;
  readonly finished_at: string | null;
  /** When the batch will be deleted; moves to a later time while the batch is pending. */
  readonly prunes_at: string;
  /** `null` if the batch was submitted without a webhook. */
  readonly webhook: { readonly url: string; readonly delivered_at: string | null } | null;
  /** In submission order. */
  readonly items: readonly BatchItem[];
  /** Present only in a test event, which has no items. */
  readonly test?: true | undefined;
}

/** The response to a capture with `answer=json`. */
export interface RenderingDocument {
  /** Entity tag of the file. */
  readonly etag: string;
  readonly content_type: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Width and height in pixels; `null` for a PDF. */
  readonly width: number | null;
  readonly height: number | null;
  /** Number of pages of a PDF; `null` for an image, or if unknown. */
  readonly pages: number | null;
  /** Title of the page, at most 500 characters; `null` if it has none, or if unknown. */
  readonly title: string | null;
  /** URL of the page after redirects; `null` if unknown, longer than 2,048 characters, or neither `http` nor `https`. */
  readonly final_url: string | null;
  /** HTTP status of the page itself; `null` if unknown, as for every PDF. */
  readonly target_status: number | null;
  readonly notes: readonly string[];
  /** As in the `X-Cache` header; `null` if `cache` was false. */
  readonly cache: "HIT" | "MISS" | null;
  /** When the link or, without a link, the cached rendering expires; `null` if there is neither. */
  readonly expires_at: string | null;
  readonly credit_cost: 0 | 1;
  /** Downloads the file without a token; `null` if no link is available. */
  readonly signed_url: string | null;
  /** Where the file was stored, as in the `X-Stored-Location` header; `null` without `storeTo`. */
  readonly stored_location: string | null;
}

/** A stored document: the response to its upload, and the body of `GET /documents/{id}`. */
export interface StoredDocument {
  /** Digest of the files as sent, with their paths: 64 lowercase hex digits. */
  readonly id: string;
  /** The `url` to send to capture this document. It works only for the account that stored it. */
  readonly url: string;
  /** Media type of the first upload of this content. */
  readonly content_type: string;
  /** Total size of the files, counting `index.md` as the HTML page that replaces it. */
  readonly bytes: number;
  /** Number of files. */
  readonly files: number;
  readonly expires_at: string;
}
