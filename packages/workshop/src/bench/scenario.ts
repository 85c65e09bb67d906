import type { Figure } from "./report/figure.ts";
import type { Table } from "./report/table.ts";

/** What every scenario is handed. */
export interface Bench {
  /** Everything shortened: rough figures in a few seconds. */
  readonly quick: boolean;
  readonly cores: number;
  readonly browserPath: string;
  /** Origin of the fixture pages, which a process of its own serves on the loopback. */
  readonly siteOrigin: string;
  /** Private addresses that the service may render, in the form of SNAP_ALLOW_TARGETS. */
  readonly allowedTargets: string;
  /** An empty folder; it goes with all that is in it. */
  readonly scratch: string;
  /** Prints a line of progress. */
  readonly say: (line: string) => void;
}

/** What a scenario found. */
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
