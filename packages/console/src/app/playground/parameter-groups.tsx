import { PARAMETER_GROUPS, type ParameterProblems, type ParameterRow } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatNoun } from "../format.ts";
import { TextField } from "../ui/fields.tsx";
import { countSent, fieldRows, type Form, type Parameters } from "./form.ts";
import { ParameterField } from "./parameter-field.tsx";

interface ParameterGroupsProps {
  readonly form: Form;
  readonly parameters: Parameters;
  readonly problems: ParameterProblems;
  readonly onChange: (name: string, text: string) => void;
}

interface SearchProps {
  readonly searchText: string;
  readonly onSearch: (text: string) => void;
}

/** The parameters of the mode by group, with a search field. */
export function ParameterGroups({
  searchText,
  onSearch,
  ...props
}: ParameterGroupsProps & SearchProps): JSX.Element {
  const words = searchText.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = ({ name, description }: ParameterRow): boolean => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const rows = fieldRows(props.form.mode).filter(isFound);
  return (
    <div class="parameters">
      <TextField
        label="Find a parameter"
        type="search"
        value={searchText}
        onChange={onSearch}
        placeholder="name or description"
      />
      {PARAMETER_GROUPS.map((group) => {
        const own = rows.filter((row) => row.group === group);
        return (
          own.length > 0 && (
            <Group key={group} {...props} name={group} rows={own} isSearched={words.length > 0} />
          )
        );
      })}
      {rows.length === 0 && <p class="state">No matching parameters in this mode.</p>}
    </div>
  );
}

interface GroupProps extends ParameterGroupsProps {
  readonly name: string;
  readonly rows: readonly ParameterRow[];
  readonly isSearched: boolean;
}

/** Groups that are open initially, because most renders use them. */
const INITIALLY_OPEN: ReadonlySet<string> = new Set(["Viewport", "Paper"]);

function Group({ name, rows, isSearched, form, parameters, problems, onChange }: GroupProps): JSX.Element {
  const sent = countSent(rows, parameters);
  const invalid = rows.filter((row) => problems[row.name] !== undefined).length;
  const [isOpen, setOpen] = useState(INITIALLY_OPEN.has(name) || sent > 0);
  return (
    <details
      class="group"
      open={isOpen || isSearched}
      onToggle={({ currentTarget }) => isSearched || setOpen(currentTarget.open)}
    >
      <summary>
        <span>{name}</span>
        {sent > 0 && <span class="count">{sent} set</span>}
        {invalid > 0 && <span class="count bad">{formatNoun(invalid, "error")}</span>}
      </summary>
      <div class="group-fields">
        {rows.map((row) => (
          <ParameterField
            key={row.name}
            row={row}
            text={form.values[row.name] ?? ""}
            problem={problems[row.name]?.join("; ")}
            onChange={(text) => onChange(row.name, text)}
          />
        ))}
      </div>
    </details>
  );
}
