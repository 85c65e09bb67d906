import type { Activity, HistoryEntry, HistoryStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import type { LedgerReserve } from "../ledger-reserve.ts";
import { copyRow, prepare, prepareArrays } from "../prepare.ts";
import { hashText } from "../text-hash.ts";
import { transact } from "../transaction.ts";
import type { Deletions } from "./deletions.ts";
import { createHistoryAccounts } from "./history-accounts.ts";
import { createHistoryPages, type HistoryTextFields } from "./history-pages.ts";
import { createHistoryRemover } from "./history-remover.ts";
import { createHistorySlices } from "./history-slices.ts";
import { createUsageTotals } from "./usage-totals.ts";

type AppendRequest = Parameters<HistoryStore["append"]>[0];
type FailureCount = Awaited<ReturnType<HistoryStore["failures"]>>[number];

export interface HistoryDependencies {
  readonly deletions: Deletions;
  readonly ledgerReserve: Pick<LedgerReserve, "isDiskLow">;
}

/** Does not flush to disk, so a power failure can lose the last entries. */
export function createHistoryStore(
  database: DatabaseSync,
  { deletions, ledgerReserve }: HistoryDependencies,
): HistoryStore {
  const accounts = createHistoryAccounts(database);
  const totals = createUsageTotals(database, accounts);
  const slices = createHistorySlices(database);
  const insert = prepareInsert(database);

  /** Returns the numbers of the accounts, except those that are being deleted. */
  const assignNumbers = ({ entries, totals: newTotals }: AppendRequest): ReadonlyMap<string, number> => {
    const ids = new Set([...entries, ...newTotals].map(({ accountId }) => accountId));
    const remaining = [...ids].filter((id) => !deletions.includes(id));
    return new Map(remaining.map((id) => [id, accounts.findOrAssign(id)]));
  };

  return {
    async append(request) {
      // the reserve is only for writes that must not fail
      if (ledgerReserve.isDiskLow())
        throw new Error("the disk has no space for the history; free disk space");
      transact(database, () => {
        const numbers = assignNumbers(request);
        const sliceOf = slices.assign(request.entries);
        for (const entry of request.entries) {
          const account = numbers.get(entry.accountId);
          if (account !== undefined) insert(entry, { account, slice: sliceOf(entry.at) });
        }
        for (const one of request.totals) {
          const account = numbers.get(one.accountId);
          if (account !== undefined) totals.add(one, account);
        }
      });
    },
    ...createHistoryPages(database, accounts),
    ...prepareCounts(database),
    usage: async (request) => totals.sum(request),
    ...createHistoryRemover(database, { accounts, totals, slices }),
  };
}

interface EntryKeys {
  readonly account: number;
  readonly slice: number;
}

function prepareInsert(database: DatabaseSync): (entry: HistoryEntry, keys: EntryKeys) => void {
  const insertTexts = prepareArrays<readonly [sequence: number]>(
    database,
    "INSERT INTO history_texts (content) VALUES (?) RETURNING sequence",
  );
  const insertEntry = prepareArrays(
    database,
    `INSERT INTO history (sequence, id, at, slice, account, token_id, entry_point, mode, host, request, code,
       duration_ms, cache, credit_cost, bytes, target_status, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (entry, { account, slice }) => {
    const { requestId, batchId, host, parameters, message, key, etag, notes } = entry;
    const textFields: HistoryTextFields = { requestId, batchId, host, parameters, message, key, etag, notes };
    // an insert that does not throw returns its row
    const [sequence] = insertTexts.get(JSON.stringify(textFields)) as readonly [number];
    insertEntry.run(
      sequence,
      entry.id,
      entry.at,
      slice,
      account,
      entry.tokenId,
      entry.entryPoint,
      entry.mode,
      host === null ? null : hashText(host),
      requestId === null ? null : hashText(requestId),
      entry.code,
      entry.durationMs,
      entry.cache,
      entry.creditCost,
      entry.bytes,
      entry.targetStatus,
      entry.expiresAt,
    );
  };
}

/** Both read only indexes, and skip hits, which can be numerous. */
function prepareCounts(database: DatabaseSync): Pick<HistoryStore, "activity" | "failures"> {
  const activity = prepare<Activity>(
    database,
    `SELECT at - at % :intervalMs AS at, sum(isRender) AS renders, sum(NOT isRender) AS failures FROM (
       SELECT at, TRUE AS isRender FROM history INDEXED BY history_by_cache
       WHERE cache IN ('miss', 'bypass') AND at >= :since
       UNION ALL
       SELECT at, FALSE FROM history INDEXED BY history_by_success WHERE (code IS NULL) = 0 AND at >= :since
     ) GROUP BY 1 ORDER BY 1`,
  );
  const failures = prepare<FailureCount>(
    database,
    `SELECT code, count(*) AS count FROM history INDEXED BY history_by_success
     WHERE (code IS NULL) = 0 AND at >= :since GROUP BY code ORDER BY count DESC, code`,
  );
  return {
    async activity({ since, intervalMs }) {
      return activity.all({ since, intervalMs }).map(copyRow);
    },
    async failures({ since }) {
      return failures.all({ since }).map(copyRow);
    },
  };
}
