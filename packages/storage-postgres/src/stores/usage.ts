import type { HistoryStore, UsageGroup, UsageSum } from "@snap/engine/ports";
import { isStorable, type Query } from "../database.ts";

interface Group {
  readonly columns: string;
  readonly keys: string;
  readonly order: string;
}

const GROUPS: Readonly<Record<UsageGroup, Group>> = {
  day: { columns: `day, NULL AS "accountId", NULL AS "tokenId"`, keys: "day", order: "day" },
  account: {
    columns: `NULL AS day, account_id AS "accountId", NULL AS "tokenId"`,
    keys: "account_id",
    order: "renders DESC, account_id",
  },
  token: {
    columns: `NULL AS day, account_id AS "accountId", token_id AS "tokenId"`,
    keys: "account_id, token_id",
    order: "renders DESC, token_id",
  },
};

/** The casts undo PostgreSQL's widening of sums. */
const SUMS = `sum(renders)::BIGINT AS renders, sum(hits)::BIGINT AS hits, sum(failures)::BIGINT AS failures,
  sum(credits)::BIGINT AS credits, sum(render_ms)::BIGINT AS "renderMs", max(longest_render_ms) AS "longestRenderMs"`;

export function createUsageReader(query: Query): Pick<HistoryStore, "usage"> {
  return {
    async usage({ from, to, accountId, tokenId, by }) {
      if (![from, to, accountId ?? ""].every(isStorable) || !Number.isSafeInteger(tokenId ?? 0)) return [];
      const values: (string | number)[] = [from, to];
      const conditions = ["day BETWEEN $1 AND $2"];
      if (accountId !== undefined) conditions.push(`account_id = $${values.push(accountId)}`);
      if (tokenId !== undefined) conditions.push(`token_id = $${values.push(tokenId)}`);
      const { columns, keys, order } = GROUPS[by];
      return query<UsageSum>(
        `SELECT ${columns}, ${SUMS} FROM snap.usage_totals WHERE ${conditions.join(" AND ")}
         GROUP BY ${keys} ORDER BY ${order}`,
        values,
      );
    },
  };
}
