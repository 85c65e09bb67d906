import type { SnapError } from "@snap/engine";
import {
  DELIVERY_NAMES,
  effectiveDefault,
  PARAMETER_TABLE,
  URL_MESSAGES,
  type ParameterRow,
} from "@snap/protocol";
import { Option } from "commander";

/*
 * One option for each parameter of a rendering, derived from the parameter table.
 */

/** `url` is the argument; without a server, there is neither a cache nor a store. */
const NOT_OPTIONS: ReadonlySet<string> = new Set(["url", "cache", "cacheTtl", ...DELIVERY_NAMES]);

/** `--output` names the file. */
const OPTION_NAMES: Readonly<Record<string, string>> = { output: "outputFormat" };

/** Rows of each parameter that is an option: one, or one per mode. */
const rowsByName: ReadonlyMap<string, readonly ParameterRow[]> = Map.groupBy(
  PARAMETER_TABLE.filter(({ name }) => !NOT_OPTIONS.has(name)),
  ({ name }) => name,
);
const names = [...rowsByName.keys()];

/** The options of `snap-server render`, grouped by topic. */
export function renderOptions(): readonly Option[] {
  return Array.from(rowsByName.values(), (rows) => {
    const [first, second = first] = rows;
    if (first === undefined || second === undefined) throw new Error("a parameter has no row");
    const [text, textInPdf] = [describe(first), describe(second)];
    const description = text === textInPdf ? text : `Image: ${text} PDF: ${textInPdf}`;
    const option = new Option(flagsOf(first), rewriteAsOptions(description)).helpGroup(headingOf(rows));
    const choices = new Set(rows.flatMap((row) => (row.kind === "choice" ? row.values : [])));
    // not choices(): the parameter parser checks the value, as it does for a request
    if (choices.size > 0) option.argChoices = [...choices];
    return option;
  });
}

/** Converts options to query pairs. Commander keys the options by their names in camel case. */
export function toQueryPairs(options: Readonly<Record<string, unknown>>): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = options[OPTION_NAMES[name] ?? name];
    // Commander sets an option like --no-javascript to true unless it is passed
    if (value === !isOnByDefault(name)) return [[name, `${value}`]];
    return typeof value === "string" ? [[name, value]] : [];
  });
}

/** Lists every parameter problem on one line, by option name. `hasExtension`: the file's name determines the format. */
export function describeProblems(
  { errors = {}, message }: SnapError,
  { hasExtension = false }: { readonly hasExtension?: boolean } = {},
): string {
  const adviceOf = hasExtension ? rewriteModeAdvice : (text: string) => text;
  const lines = Object.entries(errors).map(([name, messages]) =>
    name === "url"
      ? `URL ${messages.map(withPathHint).join(", ")}`
      : `${optionOf(name)} ${messages.map(rewriteAsOptions).map(adviceOf).join(", ")}`,
  );
  return lines.length === 0 ? message : lines.join("; ");
}

/** The argument that is not a URL may have been meant as a path. */
function withPathHint(text: string): string {
  return text === URL_MESSAGES.malformed
    ? `${text}, or the path to a folder or to an .html, .htm or .md file`
    : text;
}

/** The file's extension determines the mode, so the advice is to change the file instead of `--pdf`. */
function rewriteModeAdvice(text: string): string {
  return text
    .replace("remove it or --pdf", "remove it or write to an image file")
    .replace("add --pdf or remove it", "write to a .pdf file or remove it");
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
    case "json":
      return `${optionOf(row.name)} <json>`;
    case "text":
      return `${optionOf(row.name)} <${row.placeholder}>`;
    case "selector":
    case "url":
      return `${optionOf(row.name)} <${row.kind}>`;
  }
}

/** Description, valid values and default. */
function describe(row: ParameterRow): string {
  const defaultValue = effectiveDefault(row);
  const facts = [
    "min" in row ? [`${row.min} to ${row.max}.`] : [],
    row.kind === "flag" || defaultValue === undefined ? [] : [`Default: ${defaultValue}.`],
    isOnByDefault(row.name) ? ["On by default; this turns it off."] : [],
  ];
  return [row.description, ...facts.flat()].join(" ");
}

/** Topic, and the mode if only one accepts the option. */
function headingOf(rows: readonly ParameterRow[]): string {
  const group = rows[0]?.group ?? "";
  const modes = rows.flatMap((row) => row.modes);
  if (modes.length > 1) return `${group}:`;
  return modes[0] === "pdf" ? `${group}, PDFs only:` : `${group}, images only:`;
}

/** A flag that is on by default has an option that turns it off, such as `--no-javascript`. */
function optionOf(name: string): string {
  const words = (OPTION_NAMES[name] ?? name).replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
  return isOnByDefault(name) ? `--no-${words}` : `--${words}`;
}

function isOnByDefault(name: string): boolean {
  return rowsByName.get(name)?.[0]?.default === true;
}

/** Rewrites `format=jpeg`, `fullPage`, parameter names in backticks, and those after words such as `requires` as options. */
function rewriteAsOptions(text: string): string {
  const allNames = names.join("|");
  const camelCaseNames = names.filter((name) => /[A-Z]/.test(name)).join("|");
  return text
    .replaceAll(/^`true` renders/g, "Render")
    .replaceAll(/(?<=(?:together|combined) with )[\w, ]+|(?<=\b(?:plus|requires|times) )\w+/g, (list) =>
      list.replaceAll(/\w+/g, (name) => (names.includes(name) ? optionOf(name) : name)),
    )
    .replaceAll(new RegExp(`\`?\\b(${allNames})=(\\w+)\`?`, "g"), (_, name: string, value: string) =>
      value === `${!isOnByDefault(name)}` ? optionOf(name) : `${optionOf(name)} ${value}`,
    )
    .replaceAll(
      new RegExp(`\`(${allNames})\`|\\b(${camelCaseNames})\\b`, "g"),
      (_, quoted?: string, plain?: string) => optionOf(quoted ?? plain ?? ""),
    );
}
