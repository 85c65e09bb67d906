import { toUtcDay } from "../format.ts";

const DAY_MS = 86_400_000;

/** How long the service stores totals. */
export const TOTALS_RETENTION_DAYS = 400;

/** Ranges that end today. */
export const RANGES = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "1 year"],
] as const;

/** UTC dates, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the range of the last `days` days, including today. */
export function lastDays(days: number, now: Date): DayRange {
  return { from: toUtcDay(new Date(now.getTime() - (days - 1) * DAY_MS)), to: toUtcDay(now) };
}

/** Returns every day of a range, including days without usage, or its last 400 days if it is longer. */
export function daysOf({ from, to }: DayRange): string[] {
  const last = Date.parse(to);
  const first = Math.max(Date.parse(from), last - (TOTALS_RETENTION_DAYS - 1) * DAY_MS);
  const count = Math.floor((last - first) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => toUtcDay(new Date(first + index * DAY_MS)));
}

/** Whether both dates are valid and in order. */
export function isValidRange({ from, to }: DayRange): boolean {
  return !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to)) && from <= to;
}
