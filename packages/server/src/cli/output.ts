import type { Failure } from "./errors.ts";

/** Prints one JSON document to stdout. */
export function printJson(document: unknown, { indent = 2 } = {}): void {
  process.stdout.write(`${toJson(document, indent)}\n`);
}

function toJson(document: unknown, indent: number): string {
  return JSON.stringify(document, null, indent).replace(UNESCAPED_CHARACTERS, escapeCharacter);
}

/** Characters that could manipulate a terminal and that `JSON.stringify` does not escape. */
const UNESCAPED_CHARACTERS = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu;

function escapeCharacter(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

export function printLines(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

const warnings = new Set<string>();

/** Prints a warning once; with `--json`, leaves that to `printOutcome`. */
export function warn(text: string): void {
  if (!warnings.has(text) && !wantsJson()) process.stderr.write(`warning: ${text}\n`);
  warnings.add(text);
}

let report: object = {};

/** Lets `printOutcome` print the report of a command whose stdout has other content. */
export function reportAtEnd(document: object): void {
  report = document;
}

/**
 * Prints a failure to stderr, unless it is `null`. With `--json`, prints one document that includes the report and the
 * warnings.
 */
export function printOutcome(failure: Failure | null): void {
  if (wantsJson()) {
    const document = {
      ...report,
      ...(failure !== null && { error: failure.document }),
      ...(warnings.size > 0 && { warnings: [...warnings] }),
    };
    if (Object.keys(document).length > 0) process.stderr.write(`${toJson(document, 0)}\n`);
  } else if (failure !== null) process.stderr.write(`error: ${failure.text}\n`);
  // tests run several commands in one process
  warnings.clear();
  report = {};
}

/** Does not rely on commander, which may have failed to parse the options. */
function wantsJson(): boolean {
  return process.argv.includes("--json");
}

/** Replaces the current line of the terminal. */
export function rewriteLine(text: string): void {
  process.stderr.write(`\r\u001B[K${text}`);
}

/** Aligns the columns. The first row must have a cell for each of them. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    // spread arguments overflow the stack in a long table
    rows.reduce((width, row) => Math.max(width, (row[column] ?? "").length), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
