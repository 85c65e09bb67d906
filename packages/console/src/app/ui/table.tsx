import type { ComponentChildren, JSX } from "preact";

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligns figures to the right. */
  readonly isNumber?: boolean;
  /** Takes the remaining width. */
  readonly isWide?: boolean;
  /** Shares the remaining width; longer text is cut off. */
  readonly isTruncated?: boolean;
  /** Hidden on a phone; the entry's own screen shows the value. */
  readonly isHiddenOnPhones?: boolean;
}

interface TableProps<Row> {
  /** Only for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** For rows with a name and its value, which stay side by side on a phone. */
  readonly isPairs?: boolean;
}

/**
 * A table that turns into cards on a phone. The explicit roles repeat the elements' semantics, which browsers drop
 * when a style sheet changes `display`.
 */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { caption, columns, rows, rowKey, isPairs = false } = props;
  return (
    <table class={isPairs ? "table pairs" : "table"} role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.label} role="columnheader" scope="col" class={classOf(column)}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {columns.map((column) => (
              <td key={column.label} role="cell" data-label={column.label} class={classOf(column)}>
                <span class="cell">{column.cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf({
  isNumber,
  isWide,
  isTruncated,
  isHiddenOnPhones,
}: Omit<Column<never>, "label" | "cell">): string {
  return [isNumber && "number", isWide && "wide", isTruncated && "cut", isHiddenOnPhones && "minor"]
    .filter(Boolean)
    .join(" ");
}
