import { megabytes, rounded, type Table } from "./table.ts";

/** What rendering one kind of page takes. */
export interface PageCost {
  readonly kind: string;
  /** Of the whole process tree, for one render. */
  readonly cpuSeconds: number;
  /** Latency of one render with no other in flight. */
  readonly aloneSeconds: number;
  /** What one more page in flight adds. */
  readonly bytesInFlight: number;
}

export interface SizingFacts {
  /** Memory of the whole process tree at rest. */
  readonly restBytes: number;
  readonly costs: readonly PageCost[];
  /** Renders that run at once by default on so many cores. */
  readonly inFlightOn: (cores: number) => number;
}

const CORES = [1, 2, 4, 8, 16] as const;
/** Above this share of the processors renders begin to queue at every peak. */
const BUSY_SHARE = 0.7;
const SECONDS_PER_HOUR = 3600;

export function costTable(costs: readonly PageCost[]): Table {
  return {
    title: "Cost of a render",
    columns: ["page", "CPU s each", "renders per core and hour", "s alone", "MB per page in flight"],
    rows: costs.map(({ kind, cpuSeconds, aloneSeconds, bytesInFlight }) => [
      kind,
      rounded(cpuSeconds),
      rounded(SECONDS_PER_HOUR / cpuSeconds),
      rounded(aloneSeconds),
      megabytes(bytesInFlight),
    ]),
  };
}

/**
 * Renders per hour with the processors 70 % busy, or with every slot in use where that is less; and the memory
 * for as many pages in flight as run by default.
 */
export function sizingTable({ restBytes, costs, inFlightOn }: SizingFacts): Table {
  const largestBytes = Math.max(...costs.map(({ bytesInFlight }) => bytesInFlight));
  return {
    title: `Sizing: renders per hour, processors at most ${BUSY_SHARE * 100} % busy`,
    columns: [
      "cores",
      ...costs.map(({ kind }) => kind),
      "pages in flight",
      "MB if all are of the largest kind",
    ],
    rows: CORES.map((cores) =>
      [String(cores)].concat(
        costs.map(({ cpuSeconds, aloneSeconds }) =>
          rounded(
            SECONDS_PER_HOUR * Math.min((cores * BUSY_SHARE) / cpuSeconds, inFlightOn(cores) / aloneSeconds),
          ),
        ),
        String(inFlightOn(cores)),
        megabytes(restBytes + inFlightOn(cores) * largestBytes),
      ),
    ),
  };
}
