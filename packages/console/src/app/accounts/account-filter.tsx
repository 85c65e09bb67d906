import type { JSX } from "preact";
import type { Filters } from "../routing/filters.ts";
import { TextFilter } from "../ui/filter-bar.tsx";

interface AccountFilterProps {
  readonly filters: Filters;
  /** Email addresses by account id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Filters a list by account, and suggests the known ones. */
export function AccountFilter({ filters, names }: AccountFilterProps): JSX.Element {
  const options = Array.from(names, ([value, label]) => ({ value, label }));
  return <TextFilter filters={filters} name="account" label="Account id" options={options} />;
}
