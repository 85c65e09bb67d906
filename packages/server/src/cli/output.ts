import type { Failure } from "./errors.ts";

/** Prints one JSON document to stdout, or to stderr if stdout has other content. */
export function printJson(document: unknown, { toStderr = false, indent = 2 } = {}): void {
  const json = JSON.stringify(document, null, indent).replace(UNESCAPED, escapeCharacter);
  (toStderr ? process.stderr : process.stdout).write(`${json}\n`);
}

/** Characters that could manipulate a terminal and that `JSON.stringify` does not escape. */
const UNESCAPED = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu;

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

/** Prints a warning once; with `--json`, leaves that to `printEnd`. */
export function warn(text: string): void {
  if (!warnings.has(text) && !wantsJson()) process.stderr.write(`warning: ${text}\n`);
  warnings.add(text);
}

/** Prints a failure to stderr, unless it is `null`. With `--json`, prints one document that includes the warnings. */
export function printEnd(failure: Failure | null): void {
  if (wantsJson()) {
    const document = {
      ...(failure !== null && { error: failure.document }),
      ...(warnings.size > 0 && { warnings: [...warnings] }),
    };
    if (Object.keys(document).length > 0) printJson(document, { toStderr: true, indent: 0 });
  } else if (failure !== null) process.stderr.write(`error: ${failure.text}\n`);
}

/** Does not rely on commander, which may have failed to parse the options. */
function wantsJson(): boolean {
  return process.argv.includes("--json");
}

/** Replaces the current line of the terminal. */
export function rewriteLine(text: string): void {
  process.stderr.write(`\r\u001B[K${text}`);
}

/** Aligns the columns; the first row is the heading. */
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
