/** What every scenario gets. */
export interface Bench {
  /** Everything shortened: rough figures in a few seconds. */
  readonly quick: boolean;
  readonly browserPath: string;
  /** Origin of the fixture pages, which a separate process serves on the loopback. */
  readonly siteOrigin: string;
  /** Private addresses that the service may render, in the form of SNAP_ALLOW_TARGETS. */
  readonly allowedTargets: string;
  /** An empty folder, removed with all that is in it. */
  readonly scratch: string;
  /** Prints a line of progress. */
  readonly say: (line: string) => void;
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

/** Rows by the names of their columns, which are the same in each. */
export interface Table {
  readonly rows: readonly Readonly<Record<string, string>>[];
}

export interface Findings {
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
  /** What did not run, and why. */
  readonly remarks?: readonly string[];
}

export interface Scenario {
  /** As it is typed. */
  readonly name: string;
  readonly title: string;
  /** What is measured, and how, in a sentence or two. */
  readonly about: string;
  /** Left out of a quick run, unless it is named. */
  readonly onlyFull?: true;
  run(bench: Bench): Promise<Findings>;
}
