export interface Table {
  readonly title?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Three digits that count; what could not be measured is a dash. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return Number(
    value.toPrecision(Math.abs(value) >= 100 ? Math.ceil(Math.log10(Math.abs(value) + 1)) : 3),
  ).toString();
}

export function megabytes(bytes: number): string {
  return rounded(bytes / 1e6);
}

export function percent(fraction: number): string {
  return Number.isFinite(fraction) ? `${Math.round(fraction * 100)} %` : "-";
}

export function markdownTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Columns as wide as their longest cell, for a terminal. */
export function textTable({ columns, rows }: Table): string {
  const plain = [columns, ...rows].map((cells) => cells.map((cell) => cell.replaceAll("**", "")));
  const widths = columns.map((_, column) => Math.max(...plain.map((cells) => (cells[column] ?? "").length)));
  const [header = "", ...lines] = plain.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [header, widths.map((width) => "-".repeat(width)).join("  "), ...lines].join("\n");
}
