import type { UsageGroup, UsageRequest, UsageSum, UsageTotals } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { copyRow, prepare, type Statement } from "../prepare.ts";
import type { HistoryAccounts } from "./history-accounts.ts";

/** The totals per day and token. `account` is an account's number in the history. */
export interface UsageTotalsTable {
  add(totals: UsageTotals, account: number): void;
  sum(request: UsageRequest): readonly UsageSum[];
  prune(request: { readonly beforeDay: string; readonly limit: number }): number;
  removeSome(request: { readonly account: number; readonly limit: number }): number;
}

const SUMS = `sum(renders) AS renders, sum(hits) AS hits, sum(failures) AS failures, sum(credits) AS credits,
  sum(render_ms) AS renderMs, max(longest_render_ms) AS longestRenderMs`;

const GROUPS: Readonly<Record<UsageGroup, { readonly columns: string; readonly order: string }>> = {
  day: { columns: "day, NULL AS account, NULL AS tokenId", order: "day" },
  account: { columns: "NULL AS day, account, NULL AS tokenId", order: "renders DESC, account_id" },
  token: { columns: "NULL AS day, account, token_id AS tokenId", order: "renders DESC, tokenId" },
};
const KEYS: Readonly<Record<UsageGroup, string>> = { day: "day", account: "account", token: "token_id" };

/** The index and condition for each selection. */
const PATHS = {
  all: { index: "", condition: "TRUE" },
  account: { index: "INDEXED BY usage_by_account", condition: "account = :account" },
  token: { index: "INDEXED BY usage_by_token", condition: "token_id = :tokenId" },
} as const;

type PathName = keyof typeof PATHS;

export function createUsageTotals(database: DatabaseSync, accounts: HistoryAccounts): UsageTotalsTable {
  const add = prepare(
    database,
    `INSERT INTO usage_totals (day, token_id, account, renders, hits, failures, credits, render_ms, longest_render_ms)
     VALUES (:day, :tokenId, :account, :renders, :hits, :failures, :credits, :renderMs, :longestRenderMs)
     ON CONFLICT (day, token_id) DO UPDATE SET renders = renders + excluded.renders, hits = hits + excluded.hits,
       failures = failures + excluded.failures, credits = credits + excluded.credits,
       render_ms = render_ms + excluded.render_ms,
       longest_render_ms = max(longest_render_ms, excluded.longest_render_ms)`,
  );
  const prune = prepare(
    database,
    `DELETE FROM usage_totals WHERE (day, token_id) IN
       (SELECT day, token_id FROM usage_totals WHERE day < :beforeDay ORDER BY day LIMIT :limit)`,
  );
  const removeSome = prepare(
    database,
    `DELETE FROM usage_totals WHERE (day, token_id) IN
       (SELECT day, token_id FROM usage_totals WHERE account = :account LIMIT :limit)`,
  );
  const sums = {
    day: prepareSums(database, "day"),
    account: prepareSums(database, "account"),
    token: prepareSums(database, "token"),
  };

  return {
    add: (totals, account) => void add.run({ ...totals, account }),
    sum({ from, to, accountId, tokenId, by }) {
      const account = accountId === undefined ? null : accounts.find(accountId);
      if (accountId !== undefined && account === null) return [];
      const values = { from, to, account, tokenId: tokenId ?? null };
      const path = tokenId === undefined ? (account === null ? "all" : "account") : "token";
      return sums[by][path].all(values).map(copyRow);
    },
    prune: (request) => Number(prune.run(request).changes),
    removeSome: (request) => Number(removeSome.run(request).changes),
  };
}

function prepareSums(
  database: DatabaseSync,
  by: UsageGroup,
): Readonly<Record<PathName, Statement<UsageSum>>> {
  const { columns, order } = GROUPS[by];
  const prepareOn = (name: PathName): Statement<UsageSum> =>
    prepare(
      database,
      `WITH sums AS (
         SELECT ${columns}, ${SUMS} FROM usage_totals ${PATHS[name].index}
         WHERE ${PATHS[name].condition} AND day BETWEEN :from AND :to
           AND (:account IS NULL OR account = :account) AND (:tokenId IS NULL OR token_id = :tokenId)
         GROUP BY ${KEYS[by]}
       ) SELECT day, account_id AS accountId, tokenId, renders, hits, failures, credits, renderMs, longestRenderMs
       FROM sums LEFT JOIN history_accounts ON number = account ORDER BY ${order}`,
    );
  return { all: prepareOn("all"), account: prepareOn("account"), token: prepareOn("token") };
}
