import { rounded, type Table } from "./table.ts";

/** A number that has something to reach. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly target: { readonly atLeast: number } | { readonly atMost: number };
}

/** What is shown decides. */
export function isReached({ value: exact, target }: Figure): boolean {
  const value = Number(rounded(exact));
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

function verdict(figure: Figure): string {
  if (Number.isNaN(figure.value)) return "not measured";
  return isReached(figure) ? "yes" : "**no**";
}

export function figureTable(figures: readonly Figure[]): Table {
  return {
    columns: ["figure", "measured", "target", "reached"],
    rows: figures.map((figure) => [
      figure.name,
      rounded(figure.value),
      "atLeast" in figure.target ? `>= ${figure.target.atLeast}` : `<= ${figure.target.atMost}`,
      verdict(figure),
    ]),
  };
}
