import { effectiveDefault, PARAMETER_TABLE, type Mode, type ParameterRow } from "@snap/protocol";
import { format } from "prettier";

/*
 * Generates the documented types of the parameter values. They are generated as source text because editors show the
 * comments of members, which a type computed from the table would not have.
 */

/** Returns the source text of `protocol/src/parameters/values.ts`. */
export function parameterTypes(): Promise<string> {
  const text = `// Generated from the parameter table by packages/workshop/src/docs/generate.ts: change a row, then run \`pnpm site reference\`.

import type { Cookie } from "./cookies.ts";

${typesOf("screenshot")}
${typesOf("pdf")}
/** Names of the parameters that are secret. */
export type SecretName = ${unionOf(PARAMETER_TABLE.filter(({ isSecret }) => isSecret))};

/** Names of the parameters that only determine where else the rendering is stored. */
export type DeliveryName = ${unionOf(PARAMETER_TABLE.filter(({ isDelivery }) => isDelivery))};
`;
  return format(text, { parser: "typescript", printWidth: 110 });
}

function typesOf(mode: Mode): string {
  const [title, prefix] = mode === "pdf" ? ["PDF", "Pdf"] : ["screenshot", "Screenshot"];
  const rows = PARAMETER_TABLE.filter(({ modes }) => modes.includes(mode));
  const rowsWithDefault = rows.filter((row) => row.default !== undefined);
  return `/** Values of a ${title}'s parameters, each on its own; valid-input.ts has the valid combinations. */
export interface ${prefix}Values {
${rows.map((row) => memberOf(row, mode)).join("\n")}
}

/** Names of the parameters that validation sets to their defaults if they are not sent. */
export type ${prefix}Defaults = ${unionOf(rowsWithDefault)};

/** What a ${title} parameter requires of others if it is sent. A flag counts as sent only if it is true. */
export interface ${prefix}Rules {
${rows.flatMap((row) => rulesOf(row, rows)).join("\n")}
}
`;
}

/** Returns the rules of one row as a member of the interface; nothing if the row has none. */
function rulesOf(row: ParameterRow, rows: readonly ParameterRow[]): string[] {
  const { name, together = [], excludes = [], excludesSent = [], requires = [], needs } = row;
  const rowOf = (other: string): ParameterRow[] => rows.filter((candidate) => candidate.name === other);
  // all members of a rule must hold, so it cannot require one of several parameters
  const sent = [...together, ...(requires.length === 1 ? requires : [])].filter((other) => other !== name);
  const members = [
    ...sent
      .flatMap(rowOf)
      .map((other) => `readonly ${other.name}: ${other.kind === "flag" ? "true" : typeOf(other)}`),
    ...excludes
      .flatMap(({ names }) => names)
      .flatMap(rowOf)
      .map((other) => `readonly ${other.name}?: ${[...literalsOf(other.default), "undefined"].join(" | ")}`),
    ...excludesSent.map((other) => `readonly ${other}?: undefined`),
    ...(needs === undefined ? [] : rowOf(needs.name).map((choice) => choiceOf(choice, needs.values))),
  ];
  return members.length === 0 ? [] : [`  readonly ${name}: { ${members.join("; ")} };`];
}

/** A choice that is not sent has its default. */
function choiceOf(choice: ParameterRow, values: readonly string[]): string {
  const isOptional = values.some((value) => value === choice.default);
  const types = [...values.flatMap(literalsOf), ...(isOptional ? ["undefined"] : [])];
  return `readonly ${choice.name}${isOptional ? "?" : ""}: ${types.join(" | ")}`;
}

function literalsOf(value: unknown): string[] {
  return value === undefined ? [] : [JSON.stringify(value)];
}

function unionOf(rows: readonly ParameterRow[]): string {
  return rows.map(({ name }) => JSON.stringify(name)).join(" | ");
}

function memberOf(row: ParameterRow, mode: Mode): string {
  const lines = [...wrap(`${row.description}${boundsOf(row)}`)];
  const value = effectiveDefault(row);
  if (value !== undefined && row.name !== "pdf") lines.push(`@default ${JSON.stringify(value)}`);
  const comment =
    lines.length === 1
      ? [`  /** ${lines[0]} */`]
      : ["  /**", ...lines.map((line) => `   * ${line}`), "   */"];
  const type = row.name === "pdf" ? String(mode === "pdf") : typeOf(row);
  const member = row.kind === "url" ? `${row.name}: ${type}` : `${row.name}?: ${type} | undefined`;
  return [...comment, `  readonly ${member};`].join("\n");
}

function boundsOf(row: ParameterRow): string {
  if (!("min" in row)) return "";
  const range = `rom ${row.min} to ${row.max}`;
  if (row.kind === "integer") return ` A whole number f${range}.`;
  return ` F${range}${row.kind === "pixels" ? "; a fraction is rounded" : ""}.`;
}

function typeOf(row: ParameterRow): string {
  switch (row.kind) {
    case "integer":
    case "decimal":
    case "pixels":
      return "number";
    case "flag":
      return "boolean";
    case "json":
      return row.valueType;
    case "url":
    case "selector":
    case "text":
      return "string";
    case "choice":
      return row.values.map((value) => JSON.stringify(value)).join(" | ");
  }
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= 100) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
