import { effectiveDefault, type ParameterRow } from "@snap/protocol";
import type { JSX } from "preact";
import { formatCount } from "../format.ts";
import { CheckField, Field, SelectField, TextField } from "../ui/fields.tsx";
import { CodeText } from "../ui/long-text.tsx";

interface ParameterFieldProps {
  readonly row: ParameterRow;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

/** Parameters of kind `text` that can be longer get a multi-line field. */
const LINE_CHARACTERS_MAX = 600;

/** Renders the control for the parameter's kind. Empty text means the default. */
export function ParameterField({ row, text, problem, onChange }: ParameterFieldProps): JSX.Element {
  const label = row.name;
  const hint = <Hint row={row} />;
  const shared = { label, hint, problem, value: text, onChange };
  switch (row.kind) {
    case "flag":
      return <FlagField {...{ row, text, problem, onChange }} />;
    case "choice":
      return <SelectField {...shared} options={[defaultOption(row), ...row.values.map(optionOf)]} />;
    case "integer":
    case "decimal":
    case "pixels":
      return (
        <TextField
          {...shared}
          inputMode={row.kind === "decimal" ? "decimal" : "numeric"}
          placeholder={placeholderOf(row)}
        />
      );
    case "json":
      return <MultilineField {...shared} placeholder={placeholderOf(row)} />;
    case "text":
      if (row.maxCharacters > LINE_CHARACTERS_MAX)
        return <MultilineField {...shared} placeholder={placeholderOf(row)} />;
      return (
        <TextField
          {...shared}
          placeholder={placeholderOf(row)}
          type={row.isSecret ? "password" : "text"}
          {...suggestionsOf(row)}
        />
      );
    case "selector":
    case "url":
      return <TextField {...shared} placeholder={placeholderOf(row)} />;
  }
}

function FlagField({ row, text, problem, onChange }: ParameterFieldProps): JSX.Element {
  const defaultValue = row.kind === "flag" && row.default;
  const isChecked = text === "" ? defaultValue : text === "true";
  return (
    <CheckField
      label={<code>{row.name}</code>}
      hint={<CodeText text={row.description} />}
      problem={problem}
      isChecked={isChecked}
      onChange={(checked) => onChange(checked === defaultValue ? "" : String(checked))}
    />
  );
}

interface MultilineFieldProps {
  readonly label: string;
  readonly hint: JSX.Element;
  readonly problem: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string | undefined;
  readonly rows?: number;
}

/** A multi-line field for code. */
export function MultilineField({
  label,
  hint,
  problem,
  value,
  onChange,
  placeholder,
  rows = 3,
}: MultilineFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          value={value}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Hint({ row }: { readonly row: ParameterRow }): JSX.Element {
  return (
    <>
      <CodeText text={row.description} />
      {"min" in row && ` From ${formatCount(row.min)} to ${formatCount(row.max)}.`}
    </>
  );
}

function optionOf(value: string): { value: string; label: string } {
  return { value, label: value };
}

function defaultOption(row: ParameterRow): { value: string; label: string } {
  return { value: "", label: `${effectiveDefault(row) ?? "not set"} (default)` };
}

function placeholderOf(row: ParameterRow): string {
  const defaultValue = effectiveDefault(row);
  return defaultValue === undefined
    ? `e.g. ${typeof row.example === "object" ? JSON.stringify(row.example) : row.example}`
    : String(defaultValue);
}

/** Values to suggest for a text parameter. */
function suggestionsOf({ name, suggestions }: Extract<ParameterRow, { readonly kind: "text" }>): {
  readonly options?: readonly { readonly value: string }[];
} {
  const values = name === "timeZone" ? Intl.supportedValuesOf("timeZone") : suggestions;
  return values === undefined ? {} : { options: values.map((value) => ({ value })) };
}
