import type { SnapError } from "@snap/engine";
import { effectiveDefault, PARAMETER_TABLE, type ParameterRow } from "@snap/protocol";
import { Option } from "commander";

/*
 * One option for each parameter of a rendering, derived from the parameter table.
 */

/** `url` is the argument, and nothing is cached without a server. */
const NOT_OPTIONS: ReadonlySet<string> = new Set(["url", "cache", "cacheTtl"]);

/** The rows of each parameter that the command offers: one, or one for each mode. */
const rowsByName: ReadonlyMap<string, readonly ParameterRow[]> = Map.groupBy(
  PARAMETER_TABLE.filter(({ name }) => !NOT_OPTIONS.has(name)),
  ({ name }) => name,
);
const names = [...rowsByName.keys()];

/** The options of `snap-server render`, grouped by topic. */
export function renderOptions(): readonly Option[] {
  return Array.from(rowsByName.values(), (rows) => {
    const [first, second = first] = rows;
    if (first === undefined || second === undefined) throw new Error("a parameter without a row");
    const [text, textInPdf] = [describe(first), describe(second)];
    const description = text === textInPdf ? text : `Image: ${text} PDF: ${textInPdf}`;
    return new Option(flagsOf(first), asOptions(description)).helpGroup(headingOf(rows));
  });
}

/**
 * The options that were given, as the pairs of a query: commander returns them by the names of the
 * parameters.
 */
export function toQueryPairs(options: Readonly<Record<string, unknown>>): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = options[name];
    return typeof value === "string" || value === true ? [[name, `${value}`]] : [];
  });
}

/** Every fault of a refused set of parameters, by option, on one line. */
export function describeFaults({ errors = {}, message }: SnapError): string {
  const lines = Object.entries(errors).map(
    ([name, messages]) => `${name === "url" ? "URL" : optionOf(name)} ${messages.map(asOptions).join(", ")}`,
  );
  return lines.length === 0 ? message : lines.join("; ");
}

function flagsOf(row: ParameterRow): string {
  switch (row.kind) {
    case "flag":
      return optionOf(row.name);
    case "choice":
      return `${optionOf(row.name)} <name>`;
    case "integer":
      return `${optionOf(row.name)} <integer>`;
    case "decimal":
    case "pixels":
      return `${optionOf(row.name)} <number>`;
    case "selector":
    case "url":
      return `${optionOf(row.name)} <${row.kind}>`;
  }
}

/** The description, the valid values, and the default. */
function describe(row: ParameterRow): string {
  const unsent = effectiveDefault(row);
  const facts = [
    row.kind === "choice" ? row.values.join(", ") : "min" in row ? `${row.min} to ${row.max}` : null,
    row.kind === "flag" || unsent === undefined ? null : `default ${unsent}`,
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? row.description : `${row.description} (${facts.join("; ")})`;
}

/** The topic, and the mode if the option is for one only. */
function headingOf(rows: readonly ParameterRow[]): string {
  const group = rows[0]?.group ?? "";
  const modes = rows.flatMap((row) => row.modes);
  if (modes.length > 1) return `${group}:`;
  return modes[0] === "pdf" ? `${group}, PDFs only:` : `${group}, images only:`;
}

function optionOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
}

/** `format=jpeg`, `fullPage` and names in backticks, written as options. */
function asOptions(text: string): string {
  const known = names.join("|");
  const capital = names.filter((name) => /[A-Z]/.test(name)).join("|");
  return text
    .replaceAll(/^`true` renders/g, "Render")
    .replaceAll(/(?<=together with )\w+(?:, \w+)*/g, (list) =>
      list.replaceAll(/\w+/g, (name) => (names.includes(name) ? optionOf(name) : name)),
    )
    .replaceAll(new RegExp(`\`?\\b(${known})=(\\w+)\`?`, "g"), (_, name: string, value: string) =>
      value === "true" ? optionOf(name) : `${optionOf(name)} ${value}`,
    )
    .replaceAll(new RegExp(`\`(${known})\`|\\b(${capital})\\b`, "g"), (_, quoted?: string, plain?: string) =>
      optionOf(quoted ?? plain ?? ""),
    );
}
