import type {
  Activity,
  HistoryEntry,
  HistoryFilter,
  HistoryPage,
  UsageRequest,
  UsageSum,
} from "../ports/history.ts";
import { DAY_MS } from "../days.ts";
import { AdminError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { PageRequest } from "../ports/page.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import type { Storage } from "../ports/storage.ts";
import type { ErrorCode } from "@snap/protocol";

/** How long a day's totals are stored: 400 days. */
export const HISTORY_TOTALS_RETENTION_MS = 400 * DAY_MS;
/** Maximum retention of entries: 90 days. */
export const HISTORY_RETENTION_MAX_MS = 90 * DAY_MS;

/**
 * Finished captures, for the operator. Each is written about a second after it finishes. An engine that records none
 * can still read the captures that others recorded in the same storage.
 *
 * Each engine lists at most 50 cache hits and 50 failures per second, and at most half as many for one account. The
 * rest count only toward `usage`.
 */
export interface History {
  /** Whether this engine records its captures. */
  readonly isRecorded: boolean;
  /**
   * Returns the selected captures, newest first.
   * @throws AdminError if `after` is unknown.
   */
  page(request: PageRequest & HistoryFilter): Promise<HistoryPage>;
  /** Returns a capture; `null` if it is unknown or was pruned. */
  find(id: string): Promise<HistoryEntry | null>;
  /** Returns the rendering of a capture, or `null` if it is no longer cached. Costs no credit. */
  rendering(entry: Pick<HistoryEntry, "accountId" | "key" | "etag">): Promise<StoredRendering | null>;
  /** Counts renders and failures within the last `withinMs` by interval; omits empty intervals. */
  activity(request: { readonly withinMs: number; readonly intervalMs: number }): Promise<readonly Activity[]>;
  /** Counts failures within the last `withinMs` by code, most frequent first. */
  failures(request: {
    readonly withinMs: number;
  }): Promise<readonly { readonly code: ErrorCode; readonly count: number }[]>;
  /** Adds up renders, hits, failures and credits per day, account or token. Totals are stored for 400 days. */
  usage(request: UsageRequest): Promise<readonly UsageSum[]>;
}

export interface HistoryOptions {
  readonly storage: Pick<Storage, "history" | "renderings">;
  readonly clock: Clock;
  readonly isRecorded: boolean;
}

export function createHistory({ storage, clock, isRecorded }: HistoryOptions): History {
  const { history: store, renderings } = storage;
  return {
    isRecorded,
    async page(request) {
      const { after } = request;
      // the store would return an empty page, like one past the end of the list
      if (after !== undefined && (await store.find(after)) === null) throw requestNotFound(after);
      return store.page(request);
    },
    find: (id) => store.find(id),
    async rendering({ accountId, key, etag }) {
      if (key === null || etag === null) return null;
      const rendering = await renderings.get({ accountId, key, now: clock.now() });
      return rendering?.etag === etag ? rendering : null;
    },
    activity: ({ withinMs, intervalMs }) => store.activity({ since: clock.now() - withinMs, intervalMs }),
    failures: ({ withinMs }) => store.failures({ since: clock.now() - withinMs }),
    usage: (request) => store.usage(request),
  };
}

export function requestNotFound(id: string): AdminError {
  return new AdminError(`unknown request ${id}`, { code: "request_not_found" });
}
