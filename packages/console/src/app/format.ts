/* Formats numbers, sizes and times in English. Times are in the viewer's time zone, days in UTC. */

const COUNT = new Intl.NumberFormat("en");
const DECIMAL = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const SIZE_UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** `1,234,567` */
export function formatCount(value: number): string {
  return COUNT.format(value);
}

/** `1.2M` */
export function formatCompact(value: number): string {
  return COMPACT.format(value);
}

/** `12.5%`; a dash if `whole` is 0. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? "–" : PERCENT.format(part / whole);
}

/** `1.2 MB`; 1 KB is 1,024 bytes. */
export function formatBytes(bytes: number): string {
  const step = Math.min(SIZE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${(step === 0 ? COUNT : DECIMAL).format(bytes / 1024 ** step)} ${SIZE_UNITS[step]}`;
}

/** `840 ms`, `1.24 s` or `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const rounded = Math.round(milliseconds);
  if (rounded < 1000) return `${rounded} ms`;
  if (rounded < 60_000) return `${DECIMAL.format(rounded / 1000)} s`;
  const seconds = Math.round(rounded / 1000);
  return `${COUNT.format(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

/** `1 render`, `2 renders` */
export function formatNoun(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

// `1 Mar, 14:03` is unambiguous, unlike `3/1, 2:03`
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const THIS_YEAR = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const ANY_YEAR = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const UTC_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** `14:03:11` today, `1 Mar, 14:03` this year, `1 Mar 2025, 14:03` in any other year. */
export function formatTime(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return CLOCK.format(at);
  return (at.getFullYear() === now.getFullYear() ? THIS_YEAR : ANY_YEAR).format(at);
}

/** `14:03` */
export function formatMinute(at: Date): string {
  return MINUTE.format(at);
}

/** Formats the UTC date `2026-11-25` as `25 Nov`. */
export function formatDay(day: string | Date): string {
  return UTC_DAY.format(new Date(day));
}

/** Returns the UTC date of an instant in the API's format: `2026-11-25`. */
export function toUtcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/**
 * Truncates text in the middle, because the start and the end of a URL are the most informative.
 *
 * @example
 * truncateMiddle("https://example.com/a/long/path?page=7", 20); // "https://ex…th?page=7"
 */
export function truncateMiddle(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return text;
  const end = Math.floor((maxCharacters - 1) / 2);
  const start = maxCharacters - 1 - end;
  return `${characters.slice(0, start).join("")}…${characters.slice(-end).join("")}`;
}
