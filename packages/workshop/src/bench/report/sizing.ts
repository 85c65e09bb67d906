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
  /** Renders that may always run at once on so many cores. */
  readonly slotsOn: (cores: number) => number;
  /** The same where pages wait for their network and leave processors idle. */
  readonly maxInFlightOn: (cores: number) => number;
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
 * Renders per hour with the processors 70 % busy, or with as many pages in flight as may be where that is less;
 * and the memory for the kind of page that needs most.
 */
export function sizingTable({ restBytes, costs, slotsOn, maxInFlightOn }: SizingFacts): Table {
  const rowOf = (cores: number): string[] => {
    const loads = costs.map((cost) => {
      const perSecond = Math.min(
        (cores * BUSY_SHARE) / cost.cpuSeconds,
        maxInFlightOn(cores) / cost.aloneSeconds,
      );
      const inFlight = Math.max(slotsOn(cores), Math.ceil(perSecond * cost.aloneSeconds));
      return { perSecond, inFlight, bytes: inFlight * cost.bytesInFlight };
    });
    return [
      String(cores),
      ...loads.map(({ perSecond }) => rounded(perSecond * SECONDS_PER_HOUR)),
      String(slotsOn(cores)),
      String(Math.max(...loads.map(({ inFlight }) => inFlight))),
      megabytes(restBytes + Math.max(...loads.map(({ bytes }) => bytes))),
    ];
  };
  return {
    title: `Sizing: renders per hour, processors at most ${BUSY_SHARE * 100} % busy`,
    columns: [
      "cores",
      ...costs.map(({ kind }) => kind),
      "slots",
      "pages in flight, at most",
      "MB, for the kind that needs most",
    ],
    rows: CORES.map(rowOf),
  };
}
