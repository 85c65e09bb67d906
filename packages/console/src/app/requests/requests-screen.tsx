import type { AdminRequest } from "@snap/protocol";
import type { JSX } from "preact";
import { AccountLink } from "../accounts/account-link.tsx";
import { useAccountNames } from "../accounts/account-names.ts";
import { formatDuration } from "../format.ts";
import { usePages } from "../hooks/use-pages.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { filtersOf, type Filters } from "../routing/filters.ts";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { LongText } from "../ui/long-text.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { PageList } from "../ui/pages.tsx";
import { Empty, NoMatch } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { Outcome } from "./outcome.tsx";
import { RequestFilters, requestQuery } from "./request-filters.tsx";
import { cacheText, ENTRY_POINTS, modeText } from "./labels.ts";

export function RequestsScreen({ query }: ScreenProps): JSX.Element {
  const admin = useAdmin();
  const names = useAccountNames();
  const filters = filtersOf("requests", query);
  const pages = usePages<AdminRequest>(filters.key, (page, signal) =>
    admin.requests({ ...requestQuery(filters, new Date()), ...page }, signal),
  );
  return (
    <>
      <PageHead
        title="Requests"
        summary="Renders, cache hits and failures, newest first."
        actions={
          <button type="button" class="button" onClick={pages.reload}>
            Refresh
          </button>
        }
      />
      <RequestFilters filters={filters} names={names} />
      <PageList isLive pages={pages} noun="request" empty={<NoRequests filters={filters} />}>
        {(entries) => <RequestTable requests={entries} names={names} />}
      </PageList>
    </>
  );
}

function NoRequests({ filters }: { readonly filters: Filters }): JSX.Element {
  if (filters.count > 0) return <NoMatch noun="request" onClear={filters.clear} />;
  return (
    <Empty title="No requests yet.">
      <p>
        Requests appear here a second after their response, unless <code>SNAP_HISTORY</code> is{" "}
        <code>off</code>. <a href={toHash(["playground"])}>Render a page in the playground</a>
      </p>
    </Empty>
  );
}

interface RequestTableProps {
  readonly requests: readonly AdminRequest[];
  readonly names: ReadonlyMap<string, string>;
}

function RequestTable({ requests, names }: RequestTableProps): JSX.Element {
  return (
    <Table
      caption="Requests"
      rows={requests}
      rowKey={({ id }) => id}
      columns={[
        {
          label: "Time",
          cell: ({ id, at }) => (
            <a class="row-link" href={toHash(["requests", id])}>
              <Time at={at} />
            </a>
          ),
        },
        { label: "Outcome", cell: (request) => <Outcome {...request} /> },
        {
          label: "Host",
          cell: ({ host }) => <LongText text={host ?? "–"} max={30} />,
          isTruncated: true,
        },
        { label: "Mode", cell: ({ mode }) => modeText(mode), isHiddenOnPhones: true },
        {
          label: "Entry point",
          cell: ({ entry_point }) => ENTRY_POINTS[entry_point],
          isHiddenOnPhones: true,
        },
        {
          label: "Account, token",
          cell: ({ account_id, token_id }) => (
            <>
              <AccountLink id={account_id} names={names} max={19} /> <span class="muted">#{token_id}</span>
            </>
          ),
          isTruncated: true,
        },
        { label: "Duration", cell: ({ duration_ms }) => formatDuration(duration_ms), isNumber: true },
        { label: "Cache", cell: (request) => cacheText(request), isHiddenOnPhones: true },
        { label: "Credits", cell: ({ credit_cost }) => credit_cost, isNumber: true, isHiddenOnPhones: true },
      ]}
    />
  );
}
