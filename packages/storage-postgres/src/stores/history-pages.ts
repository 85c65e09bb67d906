import type { HistoryEntry, HistoryFilter, HistoryStore } from "@snap/engine/ports";
import { isStorable, type Query } from "../database.ts";

interface EntryRow extends Omit<HistoryEntry, "parameters" | "notes"> {
  /** JSON, as is `notes`. */
  readonly parameters: string | null;
  readonly notes: string;
}

const COLUMNS = `id, at, request_id AS "requestId", batch_id AS "batchId", account_id AS "accountId",
  token_id AS "tokenId", entry_point AS "entryPoint", mode, host, parameters, code, message,
  duration_ms AS "durationMs", cache, credit_cost AS "creditCost", key, etag, bytes, target_status AS "targetStatus",
  notes, expires_at AS "expiresAt"`;

/** In the order of the statement's parameters, from `$4` on. */
const FILTER_FIELDS = [
  "accountId",
  "tokenId",
  "entryPoint",
  "mode",
  "host",
  "code",
  "cache",
  "requestId",
  "isFailure",
] as const satisfies readonly (keyof HistoryFilter)[];

/** An index on a column and the instant. */
interface AccessPath {
  readonly field: (typeof FILTER_FIELDS)[number];
  readonly column: string;
  readonly type: "TEXT" | "BIGINT" | "BOOLEAN";
  /** The only value for which a page uses this path, because it selects few entries. */
  readonly rareValue?: boolean;
}

/** A page reads the first index whose field is filtered, and checks the other filters. The most selective come first. */
const ACCESS_PATHS: readonly AccessPath[] = [
  { field: "requestId", column: "request_id", type: "TEXT" },
  { field: "tokenId", column: "token_id", type: "BIGINT" },
  { field: "accountId", column: "account_id", type: "TEXT" },
  { field: "host", column: "host", type: "TEXT" },
  { field: "code", column: "code", type: "TEXT" },
  { field: "isFailure", column: "is_failure", type: "BOOLEAN", rareValue: true },
  { field: "cache", column: "cache", type: "TEXT" },
  { field: "entryPoint", column: "entry_point", type: "TEXT" },
  { field: "mode", column: "mode", type: "TEXT" },
  { field: "isFailure", column: "is_failure", type: "BOOLEAN" },
];

/** Checks the filters that are not `NULL`. */
const MATCHES = `($4::TEXT IS NULL OR account_id = $4) AND ($5::BIGINT IS NULL OR token_id = $5)
  AND ($6::TEXT IS NULL OR entry_point = $6) AND ($7::TEXT IS NULL OR mode = $7) AND ($8::TEXT IS NULL OR host = $8)
  AND ($9::TEXT IS NULL OR code = $9) AND ($10::TEXT IS NULL OR cache = $10)
  AND ($11::TEXT IS NULL OR request_id = $11) AND ($12::BOOLEAN IS NULL OR is_failure = $12)`;

/** `$1`: first instant; `$2`: last instant; `$3`: at the last instant, only lower ids. `~` sorts after every id. */
const PAGE = `SELECT ${COLUMNS} FROM snap.history
  WHERE at >= $1 AND (at, id) < ($2, coalesce($3::TEXT, '~')) AND ${MATCHES}
  ORDER BY at DESC, id DESC LIMIT $13`;

export function createHistoryPages(query: Query): Pick<HistoryStore, "page" | "find"> {
  return {
    async find(id) {
      if (!isStorable(id)) return null;
      const [row] = await query<EntryRow>(`SELECT ${COLUMNS} FROM snap.history WHERE id = $1`, [id]);
      return row === undefined ? null : toEntry(row);
    },
    async page({ after, limit, ...filter }) {
      const texts = [after, ...Object.values(filter)].filter((value) => typeof value === "string");
      if (!texts.every(isStorable) || !Number.isSafeInteger(filter.tokenId ?? 0))
        return { entries: [], hasMore: false };
      const afterInstant = after === undefined ? null : await findInstant(query, after);
      if (afterInstant === undefined) return { entries: [], hasMore: false };
      const lastInstant = (filter.until ?? Number.MAX_SAFE_INTEGER) - 1;
      const startsAtLastInstant = afterInstant === null || afterInstant > lastInstant;
      const path = ACCESS_PATHS.find(
        ({ field, rareValue }) =>
          filter[field] !== undefined && (rareValue === undefined || filter[field] === rareValue),
      );
      const values = [
        filter.since ?? Number.MIN_SAFE_INTEGER,
        startsAtLastInstant ? lastInstant : afterInstant,
        startsAtLastInstant ? null : after,
        ...FILTER_FIELDS.map((field) => (field === path?.field ? null : (filter[field] ?? null))),
        limit + 1,
      ];
      const rows = await (path === undefined
        ? query<EntryRow>(PAGE, values)
        : query<EntryRow>(pageOn(path), [...values, filter[path.field]]));
      return { entries: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit };
    },
  };
}

/**
 * Compares and sorts by both columns of the index. With `column = $14`, the planner might instead read another index
 * in the order of the result, if it expects to find enough rows early.
 */
function pageOn({ column, type }: AccessPath): string {
  return `SELECT ${COLUMNS} FROM snap.history
    WHERE (${column}, at) >= ($14::${type}, $1) AND (${column}, at) <= ($14::${type}, $2) AND ${column} IS NOT NULL
      AND (at < $2 OR id < coalesce($3::TEXT, '~')) AND ${MATCHES}
    ORDER BY ${column} DESC, at DESC, id DESC LIMIT $13`;
}

async function findInstant(query: Query, id: string): Promise<number | undefined> {
  const [row] = await query<{ at: number }>("SELECT at FROM snap.history WHERE id = $1", [id]);
  return row?.at;
}

function toEntry({ parameters, notes, ...row }: EntryRow): HistoryEntry {
  return {
    ...row,
    parameters: parameters === null ? null : (JSON.parse(parameters) as HistoryEntry["parameters"]),
    notes: JSON.parse(notes) as string[],
  };
}
