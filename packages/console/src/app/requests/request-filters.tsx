import { ERROR_CODES } from "@snap/protocol";
import type { JSX } from "preact";
import { AccountFilter } from "../accounts/account-filter.tsx";
import type { Query } from "../api/call.ts";
import type { Filters } from "../routing/filters.ts";
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx";
import { Field } from "../ui/fields.tsx";
import { CUSTOM_RANGE, TIME_RANGES, resolveTimeRange } from "./time-range.ts";
import { ENTRY_POINTS } from "./labels.ts";

interface RequestFiltersProps {
  readonly filters: Filters;
  /** Email addresses by account id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Filters that have the same names and values in the API. */
const API_FILTERS = [
  "account",
  "token",
  "entry_point",
  "mode",
  "host",
  "code",
  "failed",
  "cache",
  "request_id",
];

/** Converts the filters to a query for the API. */
export function requestQuery(filters: Filters, now: Date): Query {
  const [range, from, to] = [filters.get("range"), filters.get("from"), filters.get("to")];
  return {
    ...Object.fromEntries(API_FILTERS.map((name) => [name, filters.get(name)])),
    ...resolveTimeRange({ range, from, to }, now),
  };
}

export function RequestFilters({ filters, names }: RequestFiltersProps): JSX.Element {
  return (
    <FilterBar filters={filters}>
      <ChoiceFilter
        filters={filters}
        name="range"
        label="Time"
        all="Any time"
        options={[
          ...TIME_RANGES.map(([name, label]) => [name, label] as const),
          [CUSTOM_RANGE, "From … to …"],
        ]}
      />
      {filters.get("range") === CUSTOM_RANGE && (
        <>
          <InstantFilter filters={filters} name="from" label="From" />
          <InstantFilter filters={filters} name="to" label="Before" />
        </>
      )}
      <ChoiceFilter
        filters={filters}
        name="failed"
        label="Outcome"
        all="Any"
        options={[
          ["true", "Failed"],
          ["false", "Succeeded"],
        ]}
      />
      <ChoiceFilter
        filters={filters}
        name="code"
        label="Code"
        all="Any"
        options={Object.keys(ERROR_CODES).map((code) => [code, code])}
      />
      <TextFilter filters={filters} name="host" label="Host" placeholder="example.com" />
      <AccountFilter filters={filters} names={names} />
      <TextFilter filters={filters} name="token" label="Token id" placeholder="7" />
      <ChoiceFilter
        filters={filters}
        name="entry_point"
        label="Entry point"
        all="Any"
        options={Object.entries(ENTRY_POINTS)}
      />
      <ChoiceFilter
        filters={filters}
        name="mode"
        label="Mode"
        all="Any"
        options={[
          ["screenshot", "Screenshot"],
          ["pdf", "PDF"],
        ]}
      />
      <ChoiceFilter
        filters={filters}
        name="cache"
        label="Cache"
        all="Any"
        options={[
          ["HIT", "Hit"],
          ["MISS", "Miss"],
          ["BYPASS", "Not used"],
        ]}
      />
      <TextFilter filters={filters} name="request_id" label="Request id" />
    </FilterBar>
  );
}

type InstantProps = Pick<RequestFiltersProps, "filters"> & { readonly name: string; readonly label: string };

function InstantFilter({ filters, name, label }: InstantProps): JSX.Element {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={filters.get(name)}
          onChange={({ currentTarget }) => filters.set(name, currentTarget.value)}
        />
      )}
    </Field>
  );
}
