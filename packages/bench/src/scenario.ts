/** The environment that a scenario runs in. */
export interface Bench {
  /** Whether to run a short version, for rough figures. */
  readonly quick: boolean;
  readonly browserPath: string;
  /** Origin of the fixture pages, which a separate process serves on the loopback interface. */
  readonly siteOrigin: string;
  /** Private addresses that the service may render, in the format of SNAP_ALLOW_TARGETS. */
  readonly allowedTargets: string;
  /** An empty folder that is removed after the scenario. */
  readonly scratch: string;
  /** Prints a line of progress. */
  readonly log: (line: string) => void;
}

/** A number with a target. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly target: { readonly atLeast: number } | { readonly atMost: number };
}

export function atLeast(target: number, name: string, value: number): Figure {
  return { name, value, target: { atLeast: target } };
}

export function atMost(target: number, name: string, value: number): Figure {
  return { name, value, target: { atMost: target } };
}

/** Maps column names to cells; all rows of a table have the same columns. */
export type Row = Readonly<Record<string, string>>;

export interface Findings {
  readonly figures: readonly Figure[];
  readonly tables: readonly (readonly Row[])[];
  /** Listed below the tables. */
  readonly remarks?: readonly string[];
}

export interface Scenario {
  /** Argument of `pnpm bench`. */
  readonly name: string;
  readonly title: string;
  /** Describes the measurement. */
  readonly about: string;
  /** Excluded from a quick run, unless it is named. */
  readonly fullRunOnly?: true;
  run(bench: Bench): Promise<Findings>;
}
