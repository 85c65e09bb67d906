import type { AdminUsage } from "@snap/protocol";
import type { JSX } from "preact";
import { AccountLink } from "../accounts/account-link.tsx";
import { formatCount, formatDuration, formatShare } from "../format.ts";
import { toHash } from "../routing/route.ts";
import { Empty } from "../ui/states.tsx";
import { Table, type Column } from "../ui/table.tsx";

interface TotalsProps {
  readonly entries: readonly AdminUsage[];
  /** Email addresses by account id. */
  readonly names: ReadonlyMap<string, string>;
}

/** The table shows the accounts or tokens with the most renders. */
const ROWS_MAX = 50;

export function TotalsByAccount({ entries, names }: TotalsProps): JSX.Element {
  return <Totals title="By account" entries={entries} columns={[accountColumn(names), ...FIGURES]} />;
}

export function TotalsByToken({ entries, names }: TotalsProps): JSX.Element {
  const token: Column<AdminUsage> = {
    label: "Token",
    cell: ({ token_id: id }) => <a href={toHash(["requests"], { token: String(id) })}>{id}</a>,
  };
  return <Totals title="By token" entries={entries} columns={[token, accountColumn(names), ...FIGURES]} />;
}

interface TotalsTableProps {
  readonly title: string;
  readonly entries: readonly AdminUsage[];
  readonly columns: readonly Column<AdminUsage>[];
}

function Totals({ title, entries, columns }: TotalsTableProps): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2 class="panel-title">{title}</h2>
      {entries.length === 0 ? (
        <Empty title="No usage in this range." />
      ) : (
        <Table
          caption={title}
          columns={columns}
          rows={entries.slice(0, ROWS_MAX)}
          rowKey={({ account_id: account, token_id: token }) => `${account} ${token}`}
        />
      )}
      {entries.length > ROWS_MAX && (
        <p class="panel-note">
          Showing the first {ROWS_MAX} of {formatCount(entries.length)}.
        </p>
      )}
    </section>
  );
}

function accountColumn(names: ReadonlyMap<string, string>): Column<AdminUsage> {
  return {
    label: "Account",
    cell: ({ account_id: id }) => (id === null ? "–" : <AccountLink id={id} names={names} />),
    isWide: true,
  };
}

const FIGURES: readonly Column<AdminUsage>[] = [
  { label: "Renders", cell: ({ renders }) => formatCount(renders), isNumber: true },
  { label: "Cache hits", cell: ({ hits }) => formatCount(hits), isNumber: true },
  { label: "Hit rate", cell: ({ renders, hits }) => formatShare(hits, renders + hits), isNumber: true },
  { label: "Failures", cell: ({ failures }) => formatCount(failures), isNumber: true },
  { label: "Credits", cell: ({ credits }) => formatCount(credits), isNumber: true },
  {
    label: "Mean render time",
    cell: ({ mean_render_ms: mean }) => (mean === null ? "–" : formatDuration(mean)),
    isNumber: true,
  },
];
