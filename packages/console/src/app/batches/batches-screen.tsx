import type { JSX } from "preact";
import { AccountFilter } from "../accounts/account-filter.tsx";
import { AccountLink } from "../accounts/account-link.tsx";
import { useAccountNames } from "../accounts/account-names.ts";
import { usePages } from "../hooks/use-pages.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { filtersOf, type Filters } from "../routing/filters.ts";
import { toHash } from "../routing/route.ts";
import { useSession } from "../session/session.ts";
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx";
import { LongText } from "../ui/long-text.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { PageList } from "../ui/pages.tsx";
import { Empty, NoMatch } from "../ui/states.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { batchSourceOf, type BatchRow } from "./batch-source.ts";
import { BatchBadge, progressText, WebhookBadge } from "./states.tsx";

export function BatchesScreen({ query }: ScreenProps): JSX.Element {
  const session = useSession();
  const names = useAccountNames();
  const filters = filtersOf("batches", query);
  const isOperator = session.kind === "operator";
  const pages = usePages<BatchRow>(filters.key, (page, signal) =>
    batchSourceOf(session).list({ ...(isOperator && Object.fromEntries(query)), ...page }, signal),
  );
  const columns = isOperator ? [...COLUMNS, accountColumn(names)] : COLUMNS;
  return (
    <>
      <PageHead
        title="Batches"
        summary="Captures that were submitted together, newest first."
        actions={
          <button type="button" class="button" onClick={pages.reload}>
            Refresh
          </button>
        }
      />
      {isOperator && <BatchFilters filters={filters} names={names} />}
      <PageList isLive pages={pages} noun="batch" plural="batches" empty={<NoBatches filters={filters} />}>
        {(entries) => <Table caption="Batches" columns={columns} rows={entries} rowKey={({ id }) => id} />}
      </PageList>
    </>
  );
}

const COLUMNS: readonly Column<BatchRow>[] = [
  {
    label: "Submitted",
    cell: ({ id, created_at }) => (
      <a class="row-link" href={toHash(["batches", id])}>
        <Time at={created_at} />
      </a>
    ),
  },
  { label: "Status", cell: (batch) => <BatchBadge {...batch} /> },
  { label: "Items", cell: ({ items }) => progressText(items) },
  {
    label: "Webhook",
    cell: ({ webhook }) => (webhook === null ? "–" : <WebhookBadge state={webhook.status} />),
  },
  {
    label: "Receiver",
    cell: ({ webhook }) => (webhook === null ? "–" : <LongText text={webhook.url} max={40} />),
    isTruncated: true,
    isHiddenOnPhones: true,
  },
  {
    label: "Attempts",
    cell: ({ webhook }) => webhook?.attempts ?? "–",
    isNumber: true,
    isHiddenOnPhones: true,
  },
];

function accountColumn(names: ReadonlyMap<string, string>): Column<BatchRow> {
  return { label: "Account", cell: ({ account_id = "" }) => <AccountLink id={account_id} names={names} /> };
}

interface BatchFiltersProps {
  readonly filters: Filters;
  readonly names: ReadonlyMap<string, string>;
}

function BatchFilters({ filters, names }: BatchFiltersProps): JSX.Element {
  return (
    <FilterBar filters={filters}>
      <ChoiceFilter
        filters={filters}
        name="finished"
        label="Status"
        all="Any"
        options={[
          ["false", "Pending"],
          ["true", "Complete"],
        ]}
      />
      <ChoiceFilter
        filters={filters}
        name="delivery"
        label="Webhook"
        all="Any"
        options={[
          ["due", "Due"],
          ["sending", "Sending"],
          ["delivered", "Delivered"],
          ["abandoned", "Abandoned"],
        ]}
      />
      <AccountFilter filters={filters} names={names} />
    </FilterBar>
  );
}

function NoBatches({ filters }: { readonly filters: Filters }): JSX.Element {
  if (filters.count > 0) return <NoMatch noun="batch" onClear={filters.clear} />;
  return (
    <Empty title="No batches yet.">
      <p>
        Submit up to 20 captures with <code>POST /v1/renders</code> or the client's{" "}
        <code>snap.batches.submit()</code>. Batches are deleted some time after they finish, by default 7
        days.
      </p>
    </Empty>
  );
}
