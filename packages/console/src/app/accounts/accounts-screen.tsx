import type { AdminAccount, AdminPlan } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatCount } from "../format.ts";
import { useLoad } from "../hooks/use-load.ts";
import { usePages } from "../hooks/use-pages.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { filtersOf, type Filters } from "../routing/filters.ts";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx";
import { LongText } from "../ui/long-text.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { PageList } from "../ui/pages.tsx";
import { Empty, NoMatch } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { AccountBadge } from "./account-state.tsx";
import { CreateAccountDialog } from "./create-account-dialog.tsx";

export function AccountsScreen({ query }: ScreenProps): JSX.Element {
  const admin = useAdmin();
  const filters = filtersOf("accounts", query);
  const [isDialogOpen, setDialogOpen] = useState(false);
  const plans = useLoad("plans", admin.plans);
  const pages = usePages<AdminAccount>(filters.key, (page, signal) =>
    admin.accounts({ ...Object.fromEntries(query), ...page }, signal),
  );
  const create = (
    <button type="button" class="button primary" onClick={() => setDialogOpen(true)}>
      Create an account
    </button>
  );
  return (
    <>
      <PageHead title="Accounts" summary="All accounts, in order of creation." actions={create} />
      <AccountFilters filters={filters} plans={plans.data?.entries ?? []} />
      <PageList pages={pages} noun="account" empty={<NoAccounts filters={filters} />}>
        {(entries) => <AccountTable accounts={entries} />}
      </PageList>
      {isDialogOpen && <CreateAccountDialog plans={plans} onClose={() => setDialogOpen(false)} />}
    </>
  );
}

interface AccountFiltersProps {
  readonly filters: Filters;
  readonly plans: readonly AdminPlan[];
}

function AccountFilters({ filters, plans }: AccountFiltersProps): JSX.Element {
  return (
    <FilterBar filters={filters}>
      <TextFilter filters={filters} name="email" label="Email contains" placeholder="example.com" />
      <ChoiceFilter
        filters={filters}
        name="plan"
        label="Plan"
        all="Any"
        options={[...plans.map(({ slug, name }) => [slug, name] as const), ["none", "No plan"]]}
      />
      <ChoiceFilter
        filters={filters}
        name="verified"
        label="Email address"
        all="Any"
        options={[
          ["true", "Verified"],
          ["false", "Not verified"],
        ]}
      />
    </FilterBar>
  );
}

function AccountTable({ accounts }: { readonly accounts: readonly AdminAccount[] }): JSX.Element {
  return (
    <Table
      caption="Accounts"
      rows={accounts}
      rowKey={({ id }) => id}
      columns={[
        {
          label: "Email",
          cell: ({ id, email }) => (
            <a class="row-link" href={toHash(["accounts", id])}>
              <LongText text={email} max={48} />
            </a>
          ),
          isWide: true,
        },
        { label: "State", cell: (account) => <AccountBadge account={account} /> },
        { label: "Plan", cell: ({ plan }) => plan ?? "–" },
        {
          label: "Credit override",
          cell: ({ credits_per_period }) => formatOverride(credits_per_period),
          isNumber: true,
          isHiddenOnPhones: true,
        },
        {
          label: "Rate limit override",
          cell: ({ requests_per_minute }) => formatOverride(requests_per_minute),
          isNumber: true,
          isHiddenOnPhones: true,
        },
        { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

function formatOverride(value: number | null): string {
  return value === null ? "–" : formatCount(value);
}

function NoAccounts({ filters }: { readonly filters: Filters }): JSX.Element {
  if (filters.count > 0) return <NoMatch noun="account" onClear={filters.clear} />;
  return (
    <Empty title="No accounts yet.">
      <p>To render, create an account, then a token for it.</p>
    </Empty>
  );
}
