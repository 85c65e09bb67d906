import type { ErrorCode } from "@snap/protocol";
import type { PageRequest } from "./page.ts";
import type { Ability } from "./tokens.ts";

/** The entry point of a capture. `engine`: a call to `capture()` that names no entry point. */
export type EntryPoint = "snap" | "signed" | "captures" | "mcp" | "batch" | "engine";

/**
 * One finished capture, charged or not. Contains no secrets, and no NUL characters, which some databases reject.
 * Instants are in epoch milliseconds. Fields that depend on valid parameters are `null` if the parameters are
 * invalid, or if the request was rejected before they were read.
 */
export interface HistoryEntry {
  /** `req_` and 24 hex digits, unique. Ids sort by `at`, except within one millisecond. */
  readonly id: string;
  /** When it finished. */
  readonly at: number;
  /**
   * The request id that the caller passed, such as the `X-Request-Id` of the response, or the id of the batch
   * item; `null` without one.
   */
  readonly requestId: string | null;
  /** `null` unless the capture is a batch item. */
  readonly batchId: string | null;
  readonly accountId: string;
  readonly tokenId: number;
  readonly entryPoint: EntryPoint;
  /** `null` without valid parameters. */
  readonly mode: Ability | null;
  /** Host name of the page, in lower case and without a port; `null` without valid parameters. */
  readonly host: string | null;
  /**
   * The parameters without defaults, including `url`, as plain JSON. `[secret]` replaces secrets, and the user name and
   * password in `url` are removed. `null` if the parameters are invalid or longer than 64 KiB, or if the request was
   * rejected before they were read.
   */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** `null` for a success. */
  readonly code: ErrorCode | null;
  /** The error message that the caller received, at most 1,000 characters; `null` for a success. */
  readonly message: string | null;
  readonly durationMs: number;
  /** `null` for a failure. */
  readonly cache: "hit" | "miss" | "bypass" | null;
  readonly creditCost: 0 | 1;
  /** Cache key of the rendering; `null` without valid parameters. */
  readonly key: string | null;
  readonly etag: string | null;
  /** Size of the rendering; `null` for a failure, or if the caller already had it and it was not read. */
  readonly bytes: number | null;
  readonly targetStatus: number | null;
  readonly notes: readonly string[];
  /** When the rendering's cache entry under `key` expires; `null` if it is not cached, as with `cache: false`. */
  readonly expiresAt: number | null;
}

/** Totals of one token's captures on one day. */
export interface UsageTotals {
  /** A UTC date, such as `2026-11-25`. */
  readonly day: string;
  readonly accountId: string;
  readonly tokenId: number;
  /** Captures that rendered: cache misses and bypasses. */
  readonly renders: number;
  /** Captures served from the cache. */
  readonly hits: number;
  readonly failures: number;
  readonly credits: number;
  /** Sum of the durations of `renders`. */
  readonly renderMs: number;
  /** The longest of these durations; 0 if there were no renders. */
  readonly longestRenderMs: number;
}

/** Selects entries. Absent fields select all. */
export interface HistoryFilter {
  readonly accountId?: string | undefined;
  readonly tokenId?: number | undefined;
  readonly entryPoint?: EntryPoint | undefined;
  readonly mode?: Ability | undefined;
  /** Matches the whole host name. */
  readonly host?: string | undefined;
  readonly code?: ErrorCode | undefined;
  readonly isFailure?: boolean | undefined;
  readonly cache?: "hit" | "miss" | "bypass" | undefined;
  readonly requestId?: string | undefined;
  /** Selects entries at or after this instant. */
  readonly since?: number | undefined;
  /** Selects entries before this instant. */
  readonly until?: number | undefined;
}

/** A page of the history. Unlike `Page`, it does not count the remaining entries, which could be millions. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly hasMore: boolean;
}

/** Number of captures in one interval. */
export interface Activity {
  /** Start of the interval. */
  readonly at: number;
  readonly renders: number;
  readonly failures: number;
}

/** How usage is grouped: one row per day, account or token in the selection. */
export type UsageGroup = "day" | "account" | "token";

export interface UsageRequest {
  /** First day, inclusive. */
  readonly from: string;
  /** Last day, inclusive. */
  readonly to: string;
  readonly accountId?: string | undefined;
  readonly tokenId?: number | undefined;
  readonly by: UsageGroup;
}

/** A sum of `UsageTotals`. Fields that it is not grouped by are `null`; grouping by token also sets `accountId`. */
export interface UsageSum extends Omit<UsageTotals, "day" | "accountId" | "tokenId"> {
  readonly day: string | null;
  readonly accountId: string | null;
  readonly tokenId: number | null;
}

/**
 * Finished captures, and their totals per day. Written in the background, so a killed process loses its latest ones.
 * Credits never depend on the history.
 */
export interface HistoryStore {
  /**
   * Stores entries and adds `totals` to those of the same day and token, atomically; either list can be empty. Not
   * idempotent: callers must not retry it. Stores nothing for an account whose deletion has started, but everything for
   * the others.
   *
   * @throws Error if an entry's id is taken, even by another entry in the same call.
   */
  append(request: {
    readonly entries: readonly HistoryEntry[];
    readonly totals: readonly UsageTotals[];
  }): Promise<void>;
  /**
   * Returns the selected entries in descending order of ids, even if they were stored in a different order; an empty
   * page if `after` is unknown. `after` can be an entry that the filter does not select.
   */
  page(request: PageRequest & HistoryFilter): Promise<HistoryPage>;
  find(id: string): Promise<HistoryEntry | null>;
  /**
   * Counts renders and failures since `since`, in intervals that start at multiples of `intervalMs`, in ascending
   * order; the first can start before `since`. Omits intervals with neither; hits do not count.
   */
  activity(request: { readonly since: number; readonly intervalMs: number }): Promise<readonly Activity[]>;
  /** Counts the failures since `since` by code, most frequent first, then in order of code. */
  failures(request: {
    readonly since: number;
  }): Promise<readonly { readonly code: ErrorCode; readonly count: number }[]>;
  /** Adds up totals. Days are in ascending order; accounts and tokens are sorted by renders, most first, then by id. */
  usage(request: UsageRequest): Promise<readonly UsageSum[]>;
  /**
   * Deletes at most `limit` entries that are older than `before`, and at most `limit` totals of days before
   * `beforeDay`; returns the number of both together.
   */
  prune(request: {
    readonly before: number;
    readonly beforeDay: string;
    readonly limit: number;
  }): Promise<number>;
  /** Deletes an account's entries and totals, in chunks; returns the number of entries. New ones can be stored. */
  deleteAccount(request: { readonly accountId: string }): Promise<number>;
}
