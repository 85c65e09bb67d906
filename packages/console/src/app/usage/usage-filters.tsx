import type { JSX } from "preact";
import { AccountFilter } from "../accounts/account-filter.tsx";
import { useAccountNames } from "../accounts/account-names.ts";
import { toUtcDay } from "../format.ts";
import type { Filters } from "../routing/filters.ts";
import { toHash } from "../routing/route.ts";
import { FilterBar, TextFilter } from "../ui/filter-bar.tsx";
import { TextField } from "../ui/fields.tsx";
import { lastDays, RANGES, type DayRange } from "./range.ts";

interface UsageFiltersProps {
  readonly filters: Filters;
  readonly range: DayRange;
}

/** While a date is being typed, its field has no value, or a year such as 0002. */
const EARLIEST_DAY = "2000-01-01";

export function UsageFilters({ filters, range }: UsageFiltersProps): JSX.Element {
  const names = useAccountNames();
  const now = new Date();
  const hashOf = (days: number): string =>
    toHash(["usage"], {
      account: filters.get("account"),
      token: filters.get("token"),
      ...lastDays(days, now),
    });
  const isSelected = (days: number): boolean => {
    const { from, to } = lastDays(days, now);
    return from === range.from && to === range.to;
  };
  const setDay = (name: "from" | "to", day: string): void => {
    if (day >= EARLIEST_DAY) filters.set(name, day);
  };
  return (
    <FilterBar filters={filters}>
      <div class="field range">
        <span class="label" id="range">
          Range
        </span>
        <div class="segments" role="group" aria-labelledby="range">
          {RANGES.map(([days, label]) => (
            <a key={days} href={hashOf(days)} aria-current={isSelected(days) ? "true" : undefined}>
              {label}
            </a>
          ))}
        </div>
      </div>
      <TextField
        label="First day"
        type="date"
        value={range.from}
        max={toUtcDay(now)}
        onChange={(value) => setDay("from", value)}
      />
      <TextField
        label="Last day"
        type="date"
        value={range.to}
        max={toUtcDay(now)}
        onChange={(value) => setDay("to", value)}
      />
      <AccountFilter filters={filters} names={names} />
      <TextFilter filters={filters} name="token" label="Token id" placeholder="7" />
    </FilterBar>
  );
}
