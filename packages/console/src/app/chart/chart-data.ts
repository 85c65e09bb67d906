export type SeriesTone = "accent" | "muted" | "bad";

export interface Series {
  readonly label: string;
  readonly tone: SeriesTone;
  /** One value per instant; `null` if there is none. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  readonly kind: "stacked-bars" | "lines";
  /** Ascending and equally spaced. */
  readonly instants: readonly Date[];
  /** Bottom of the stack first. */
  readonly series: readonly Series[];
  /** Whether instants are UTC days rather than times in the viewer's time zone. */
  readonly isDaily?: boolean;
  readonly formatInstant: (instant: Date) => string;
  readonly formatValue: (value: number) => string;
}

/**
 * Returns the upper edges of stacked bars, top of the stack first. Drawn in this order, each bar covers the lower
 * part of the previous one.
 *
 * @example
 * stack([[1, 2], [10, 20]]); // [[11, 22], [1, 2]]
 */
export function stack(series: readonly (readonly (number | null)[])[]): number[][] {
  const edges: number[][] = [];
  for (const values of series) {
    const below = edges[0];
    edges.unshift(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return edges;
}

/** Whether any value is above zero. */
export function hasNonzeroValue({ series }: Pick<ChartData, "series">): boolean {
  return series.some(({ values }) => values.some((value) => value !== null && value > 0));
}
