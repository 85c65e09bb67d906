/** A page of docs/reference. */
export interface ReferencePage {
  /** File name below docs/reference. */
  readonly file: string;
  /** What the page is, in one sentence. */
  readonly summary: string;
  readonly title: string;
  /** Everything behind the summary, in Markdown. */
  body(): string;
}

/**
 * A table; the columns that nobody fills are left out.
 *
 * @throws Error when it has no rows: what it is made from is gone, or has moved.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) throw new Error(`nothing to say in a table of ${header.join(", ")}`);
  const filled = header.map((_, column) => rows.some((row) => (row[column] ?? "") !== ""));
  const keep = (cells: readonly string[]): readonly string[] => cells.filter((_, column) => filled[column]);
  const line = (cells: readonly string[]): string => `| ${keep(cells).map(escapeCell).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");
}

export function code(text: string | number | boolean): string {
  return `\`${text}\``;
}

/** `a`, `b` and `c`, each as code. */
export function codes(texts: readonly (string | number | boolean)[]): string {
  return texts.map(code).join(", ");
}

/** With a capital at the start and a full stop at the end. */
export function sentence(text: string): string {
  const [first = "", ...rest] = text;
  return `${first.toUpperCase()}${rest.join("")}${/[.!?]$/.test(text) ? "" : "."}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}
