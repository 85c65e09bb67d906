import type { JSX } from "preact";
import { useAccountNames } from "../accounts/account-names.ts";
import { usageCsvUrl } from "../api/admin.ts";
import { useLoad } from "../hooks/use-load.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { filtersOf } from "../routing/filters.ts";
import { useAdmin } from "../session/session.ts";
import { PageHead } from "../ui/page-head.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { TOTALS_RETENTION_DAYS, isValidRange, lastDays, type DayRange } from "./range.ts";
import { TotalsByAccount, TotalsByToken } from "./totals.tsx";
import { UsageCharts } from "./usage-charts.tsx";
import { UsageFilters } from "./usage-filters.tsx";
import { UsageFigures } from "./usage-figures.tsx";

const DEFAULT_DAYS = 30;

export function UsageScreen({ query }: ScreenProps): JSX.Element {
  const filters = filtersOf("usage", query);
  const defaultRange = lastDays(DEFAULT_DAYS, new Date());
  const range = { from: filters.get("from") || defaultRange.from, to: filters.get("to") || defaultRange.to };
  const selection = { ...range, account: filters.get("account"), token: filters.get("token") };
  return (
    <>
      <PageHead
        title="Usage"
        summary={`Totals per UTC day, stored for ${TOTALS_RETENTION_DAYS} days.`}
        actions={
          <a
            class="button"
            href={usageCsvUrl({ ...selection, by: "day" })}
            download={`usage-${range.from}-${range.to}.csv`}
          >
            Download CSV
          </a>
        }
      />
      <UsageFilters filters={filters} range={range} />
      {isValidRange(range) ? (
        <Usage
          key={JSON.stringify(selection)}
          range={range}
          account={selection.account}
          token={selection.token}
        />
      ) : (
        <p class="banner warn">Choose two valid days; the first must not be after the last.</p>
      )}
    </>
  );
}

interface UsageProps {
  readonly range: DayRange;
  readonly account: string;
  readonly token: string;
}

function Usage({ range, account, token }: UsageProps): JSX.Element {
  const admin = useAdmin();
  const names = useAccountNames();
  const selection = { ...range, account, token };
  const days = useLoad("day", (signal) => admin.usage({ ...selection, by: "day" }, signal));
  const accounts = useLoad("account", (signal) => admin.usage({ ...selection, by: "account" }, signal));
  const tokens = useLoad("token", (signal) => admin.usage({ ...selection, by: "token" }, signal));
  return (
    <div class="stack">
      <WhenLoaded loaded={days} what="the usage">
        {({ entries }) => (
          <>
            <UsageFigures entries={entries} />
            <UsageCharts entries={entries} range={range} />
          </>
        )}
      </WhenLoaded>
      <WhenLoaded loaded={accounts} what="the usage by account">
        {({ entries }) => <TotalsByAccount entries={entries} names={names} />}
      </WhenLoaded>
      <WhenLoaded loaded={tokens} what="the usage by token">
        {({ entries }) => <TotalsByToken entries={entries} names={names} />}
      </WhenLoaded>
    </div>
  );
}
