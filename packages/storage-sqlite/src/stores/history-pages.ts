import type { HistoryEntry, HistoryFilter, HistoryStore } from "@snap/engine/ports";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { hashText } from "../text-hash.ts";
import type { HistoryAccounts } from "./history-accounts.ts";

/** The fields that are stored as one JSON object. */
export type HistoryTextFields = Pick<
  HistoryEntry,
  "requestId" | "batchId" | "host" | "parameters" | "message" | "key" | "etag" | "notes"
>;

interface EntryRow extends Omit<HistoryEntry, keyof HistoryTextFields> {
  /** JSON of `HistoryTextFields`. */
  readonly content: string;
}

const COLUMNS = `history.id, at, account_id AS accountId, token_id AS tokenId, entry_point AS entryPoint, mode, code,
  duration_ms AS durationMs, cache, credit_cost AS creditCost, bytes, target_status AS targetStatus,
  expires_at AS expiresAt, content`;
const JOINS = `CROSS JOIN history_texts USING (sequence) CROSS JOIN history_accounts ON number = account`;

/** An index that returns the entries of one filter in order. */
interface AccessPath {
  readonly index: string;
  readonly applies: (filter: HistoryFilter) => boolean;
  readonly condition: string;
  /** Whether the index starts with the slice (`HistorySlices`). */
  readonly isSliced: boolean;
}

/** A page uses the first path that applies, and checks the other filters. The most selective paths come first. */
const ACCESS_PATHS: readonly AccessPath[] = [
  pathBy("request", ({ requestId }) => requestId !== undefined, "request = :request", { isSliced: true }),
  pathBy("token", ({ tokenId }) => tokenId !== undefined, "token_id = :tokenId", { isSliced: true }),
  pathBy("account", ({ accountId }) => accountId !== undefined, "account = :account", { isSliced: true }),
  pathBy("host", ({ host }) => host !== undefined, "host = :hostHash", { isSliced: true }),
  pathBy("code", ({ code }) => code !== undefined, "code = :code"),
  pathBy("success", ({ isFailure }) => isFailure === true, "(code IS NULL) = 0"),
  pathBy("cache", ({ cache }) => cache !== undefined, "cache = :cache"),
  pathBy("entry_point", ({ entryPoint }) => entryPoint !== undefined, "entry_point = :entryPoint"),
  pathBy("mode", ({ mode }) => mode !== undefined, "mode = :mode"),
  pathBy("success", ({ isFailure }) => isFailure === false, "(code IS NULL) = 1"),
  pathBy("instant", () => true, "TRUE"),
];

const MATCHES = `(:account IS NULL OR account = :account) AND (:tokenId IS NULL OR token_id = :tokenId)
  AND (:entryPoint IS NULL OR entry_point = :entryPoint) AND (:mode IS NULL OR mode = :mode)
  AND (:code IS NULL OR code = :code) AND (:cache IS NULL OR cache = :cache)
  AND (:isFailure IS NULL OR (code IS NOT NULL) = :isFailure)
  AND (:host IS NULL OR (host = :hostHash AND content ->> 'host' = :host))
  AND (:requestId IS NULL OR (request = :request AND content ->> 'requestId' = :requestId))`;

export function createHistoryPages(
  database: DatabaseSync,
  accounts: HistoryAccounts,
): Pick<HistoryStore, "page" | "find"> {
  const find = prepare<EntryRow>(database, `SELECT ${COLUMNS} FROM history ${JOINS} WHERE history.id = :id`);
  const findInstant = prepare<{ at: number }>(database, "SELECT at FROM history WHERE id = :id");
  const paths = ACCESS_PATHS.map((path) => ({
    applies: path.applies,
    read: path.isSliced ? prepareSlices(database, path) : prepareEntries(database, path),
  }));

  return {
    async find(id) {
      const row = find.get({ id });
      return row === undefined ? null : toEntry(row);
    },
    async page({ after, limit, ...filter }) {
      const afterInstant = after === undefined ? null : findInstant.get({ id: after })?.at;
      const account = filter.accountId === undefined ? null : accounts.find(filter.accountId);
      const isUnknown = afterInstant === undefined || (filter.accountId !== undefined && account === null);
      // the last path always applies
      const path = paths.find(({ applies }) => applies(filter));
      if (isUnknown || path === undefined) return { entries: [], hasMore: false };
      const lastInstant = (filter.until ?? Number.MAX_SAFE_INTEGER) - 1;
      const startsAtLastInstant = afterInstant === null || afterInstant > lastInstant;
      const values = {
        ...valuesOf(filter),
        account,
        to: startsAtLastInstant ? lastInstant : afterInstant,
        beforeId: startsAtLastInstant ? null : (after ?? null),
        limit: limit + 1,
      };
      const rows = path.read(values);
      return { entries: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit };
    },
  };
}

type PageValues = Record<string, SQLInputValue> & {
  readonly since: number;
  /** The latest instant. */
  readonly to: number;
  /** Selects only lower ids among the entries at `to`; `null` selects all. */
  readonly beforeId: string | null;
  readonly limit: number;
};

type ReadEntries = (values: PageValues) => readonly EntryRow[];

function prepareEntries(database: DatabaseSync, { index, condition }: AccessPath): ReadEntries {
  const statement = prepare<EntryRow>(
    database,
    `SELECT ${COLUMNS} FROM history INDEXED BY ${index} ${JOINS}
     WHERE ${condition} AND at BETWEEN :since AND :to
       AND (at < :to OR :beforeId IS NULL OR history.id < :beforeId) AND ${MATCHES}
     ORDER BY at DESC, history.id DESC LIMIT :limit`,
  );
  return (values) => statement.all(values);
}

/** Reads slice by slice, newest first. Each slice is one range of the index. */
function prepareSlices(database: DatabaseSync, path: AccessPath): ReadEntries {
  const findSlice = prepare<{ slice: number }>(
    database,
    `SELECT start AS slice FROM history_slices
     WHERE start BETWEEN (SELECT max(start) FROM history_slices WHERE start <= :since) AND :to
       AND EXISTS (SELECT 1 FROM history INDEXED BY ${path.index} WHERE slice = start AND ${path.condition})
     ORDER BY start DESC LIMIT 1`,
  );
  const condition = `slice = :slice AND ${path.condition}`;
  const readSlice = prepareEntries(database, { ...path, condition });
  return (request) => {
    const rows: EntryRow[] = [];
    let { to, beforeId } = request;
    while (rows.length < request.limit) {
      const slice = findSlice.get({ ...request, to })?.slice;
      if (slice === undefined) break;
      const limit = request.limit - rows.length;
      rows.push(...readSlice({ ...request, slice, to, beforeId, limit }));
      to = slice - 1;
      beforeId = null;
    }
    return rows;
  };
}

function valuesOf(filter: HistoryFilter): Record<string, SQLInputValue> & Pick<PageValues, "since"> {
  const { tokenId, entryPoint, mode, host, code, cache, requestId, isFailure, since } = filter;
  return {
    tokenId: tokenId ?? null,
    entryPoint: entryPoint ?? null,
    mode: mode ?? null,
    host: host ?? null,
    hostHash: host === undefined ? null : hashText(host),
    code: code ?? null,
    cache: cache ?? null,
    requestId: requestId ?? null,
    request: requestId === undefined ? null : hashText(requestId),
    isFailure: isFailure === undefined ? null : Number(isFailure),
    since: since ?? Number.MIN_SAFE_INTEGER,
  };
}

function pathBy(
  name: string,
  applies: AccessPath["applies"],
  condition: string,
  { isSliced = false } = {},
): AccessPath {
  return { index: `history_by_${name}`, applies, condition, isSliced };
}

function toEntry({ content, ...row }: EntryRow): HistoryEntry {
  return { ...row, ...(JSON.parse(content) as HistoryTextFields) };
}
