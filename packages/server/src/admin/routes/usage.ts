import { DAY_MS, dayOf, invalidParameter } from "@snap/engine/internals";
import type { AdminUsage } from "@snap/protocol";
import * as z from "zod";
import { date, id, numericId, oneOf } from "../../requests/fields.ts";
import { toCsv } from "../csv.ts";
import { toAdminUsage } from "../json-bodies.ts";
import { toAdminList } from "../lists.ts";
import { AdminResponse, route } from "../route.ts";
import { listOf } from "../schemas/lists.ts";
import { usage } from "../schemas/usage.ts";

const DEFAULT_DAYS = 30;

const usageFilter = z.strictObject({
  from: date()
    .optional()
    .meta({ description: `First day, in UTC; ${DEFAULT_DAYS - 1} days before \`to\` by default.` }),
  to: date().optional().meta({ description: "Last day, in UTC; today by default." }),
  account: id().optional().meta({ description: "Only usage of the account with this id." }),
  token: numericId().optional().meta({ description: "Only usage of the token with this id." }),
  by: oneOf("day", "account", "token")
    .default("day")
    .meta({ description: "Returns one entry per day, account or token." }),
  format: oneOf("json", "csv").default("json").meta({ description: "Format of the response." }),
});

const COLUMNS = [
  "day",
  "account_id",
  "token_id",
  "renders",
  "hits",
  "failures",
  "credits",
  "mean_render_ms",
  "longest_render_ms",
] as const satisfies readonly (keyof AdminUsage)[];

export const USAGE_ROUTES = [
  route({
    method: "get",
    path: "/usage",
    operationId: "getUsage",
    tag: "Usage",
    summary: "Add up requests by day, account or token",
    description:
      "Returns renders, cache hits, failures and credits, which are stored for 400 days. Omits days without requests. `format=csv` returns a file for spreadsheets.",
    query: usageFilter,
    response: listOf(usage),
    media: ["text/csv"],
    async handle({ engine, query }) {
      const { from, to } = daysOf(query);
      const { account: accountId, token: tokenId, by } = query;
      const sums = await engine.history.usage({ from, to, accountId, tokenId, by });
      const list = toAdminList({ entries: sums, hasMore: false }, toAdminUsage);
      return query.format === "json"
        ? list
        : csvFile(`usage-${from}-${to}.csv`, toCsv(COLUMNS, list.entries));
    },
  }),
];

function daysOf({
  from,
  to = dayOf(Date.now()),
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): { readonly from: string; readonly to: string } {
  const first = from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  if (first > to) throw invalidParameter("from", `must not be later than to, ${to}`);
  return { from: first, to };
}

function csvFile(name: string, body: string): AdminResponse {
  const headers = {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  return new AdminResponse({ status: 200, headers, body });
}
