/**
 * A process starves if it waits for a CPU for at least the first fraction of the time, and runs for less than the
 * second fraction of the time that it wants to run.
 */
const WAIT_MIN = 0.25;
const SERVED_MIN = 0.4;
/** If pages and browsers use less than this fraction of the machine's CPU time, it is other programs that starve them. */
const OWN_MIN = 0.5;
/** A page is idle if it wants to run for less than this fraction of the time. */
const DEMAND_MIN = 0.1;
/** Pages with one busy thread each never exceed their share by more than this factor. */
const TOLERANCE = 1.35;
const RECOVERY = 1.25;
const RATE_MIN = 0.05;

/** What a page or a process has used during an interval. */
export interface CpuUsage {
  readonly usedMs: number;
  /** Time that it waited for a CPU; 0 if the kernel does not count it. */
  readonly waitedMs: number;
}

/** `rate` is the fraction of the time that the page was allowed to run. */
export interface PageCpuUsage extends CpuUsage {
  readonly rate: number;
}

export interface Interval {
  readonly durationMs: number;
  /** Number of cores that the pages and browsers may use. */
  readonly cores: number;
  /** The shared browser's processes that do not run pages. */
  readonly others: readonly CpuUsage[];
}

/**
 * Returns the fraction of the time that each page may run until the next reading.
 *
 * The kernel divides CPU time among threads, so a page with a hundred busy threads starves all others. While a
 * process is starving, each page gets at most one share of the CPU time that all of them use. There is one share for
 * each page that wants to run, and one for the browser itself. Otherwise, or if other programs use most of the machine,
 * each limit rises by a quarter per reading, until there is none.
 */
export function shareCpu(
  pages: readonly PageCpuUsage[],
  { durationMs, cores, others }: Interval,
): readonly number[] {
  const all = [...pages, ...others];
  const totalMs = all.reduce((sum, { usedMs }) => sum + usedMs, 0);
  const isBusy = totalMs >= durationMs * cores * OWN_MIN;
  if (!isBusy || !all.some((use) => isStarved(use, durationMs)))
    return pages.map(({ rate }) => Math.min(1, rate * RECOVERY));
  const active = pages.filter(({ usedMs, waitedMs }) => usedMs + waitedMs >= durationMs * DEMAND_MIN).length;
  const shareMs = totalMs / (active + 1);
  return pages.map(({ usedMs, rate }) =>
    usedMs <= shareMs * TOLERANCE ? rate : Math.max(RATE_MIN, (rate * shareMs) / usedMs),
  );
}

function isStarved({ usedMs, waitedMs }: CpuUsage, durationMs: number): boolean {
  return waitedMs >= durationMs * WAIT_MIN && usedMs < (usedMs + waitedMs) * SERVED_MIN;
}
