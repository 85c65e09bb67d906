import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Filters } from "../routing/filters.ts";
import { SelectField, TextField } from "./fields.tsx";

interface FilterBarProps {
  readonly filters: Filters;
  readonly children: ComponentChildren;
}

/** The filters of a list. On a narrow screen, a button shows and hides them. */
export function FilterBar({ filters, children }: FilterBarProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        class="button filter-toggle"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters
        {filters.count > 0 && <span class="count">{filters.count} set</span>}
      </button>
      <form
        id={id}
        class={isOpen ? "filters open" : "filters"}
        aria-label="Filters"
        onSubmit={(event) => event.preventDefault()}
      >
        {children}
        {filters.count > 0 && (
          <button type="button" class="button" onClick={filters.clear}>
            Clear filters
          </button>
        )}
      </form>
    </>
  );
}

interface FilterProps {
  readonly filters: Filters;
  readonly name: string;
  readonly label: string;
}

interface TextFilterProps extends FilterProps {
  readonly placeholder?: string;
  readonly options?: readonly { readonly value: string; readonly label?: string }[];
}

/** Applies on Enter, or when the field loses focus. */
export function TextFilter({ filters, name, label, ...props }: TextFilterProps): JSX.Element {
  const applied = filters.get(name);
  const [draft, setDraft] = useState(applied);
  useEffect(() => setDraft(applied), [applied]);
  const apply = (): void => {
    if (draft.trim() !== applied) filters.set(name, draft.trim());
  };
  return (
    <div onFocusOut={apply} onKeyDown={({ key }) => key === "Enter" && apply()}>
      <TextField label={label} value={draft} onChange={setDraft} {...props} />
    </div>
  );
}

interface ChoiceFilterProps extends FilterProps {
  /** Label of the option that clears the filter. */
  readonly all: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

export function ChoiceFilter({ filters, name, label, all, options }: ChoiceFilterProps): JSX.Element {
  const choices: readonly (readonly [string, string])[] = [["", all], ...options];
  return (
    <SelectField
      label={label}
      value={filters.get(name)}
      onChange={(value) => filters.set(name, value)}
      options={choices.map(([value, text]) => ({ value, label: text }))}
    />
  );
}
