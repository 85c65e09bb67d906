/** Spreadsheets evaluate cells that start with one of these as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Formats rows as CSV with a header row (RFC 4180). Puts an apostrophe before text that looks like
 * a formula.
 */
export function toCsv<Name extends string>(
  columns: readonly Name[],
  rows: readonly Readonly<Record<Name, string | number | null>>[],
): string {
  const lines = [columns.join(","), ...rows.map((row) => columns.map((name) => cellOf(row[name])).join(","))];
  return lines.map((line) => `${line}\r\n`).join("");
}

function cellOf(value: string | number | null): string {
  if (typeof value !== "string") return String(value ?? "");
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
