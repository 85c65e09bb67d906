/** Relative time ranges, in minutes. */
export const TIME_RANGES: readonly (readonly [name: string, label: string, minutes: number])[] = [
  ["15m", "Last 15 minutes", 15],
  ["1h", "Last hour", 60],
  ["24h", "Last 24 hours", 1440],
  ["7d", "Last 7 days", 10_080],
];

/** Name of the range with an explicit start and end. */
export const CUSTOM_RANGE = "custom";

interface TimeRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Resolves a range to instants. `from` and `to` are local times, as in `<input type="datetime-local">`. */
export function resolveTimeRange(
  { range, from, to }: { readonly range: string; readonly from: string; readonly to: string },
  now: Date,
): TimeRange {
  if (range === CUSTOM_RANGE) return { since: toInstant(from), until: toInstant(to) };
  const minutes = TIME_RANGES.find(([name]) => name === range)?.[2];
  return minutes === undefined ? {} : { since: new Date(now.getTime() - minutes * 60_000).toISOString() };
}

/** Returns the filters for the current day in UTC. */
export function todayUtc(now: Date): { readonly range: string; readonly from: string } {
  const start = new Date(now);
  start.setUTCHours(0, 0, 0, 0);
  return { range: CUSTOM_RANGE, from: toLocal(start) };
}

/** Returns local time, as in `<input type="datetime-local">`. */
function toLocal(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toInstant(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
