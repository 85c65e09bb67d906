/** `2026-03-01 12:00 UTC`, or `none`. The instant is in milliseconds, or in ISO 8601. */
export function formatInstant(instant: number | string | null, none: string): string {
  return instant === null ? none : `${new Date(instant).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 token`, `2,000 tokens`. */
export function formatNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

const BYTE_UNITS = ["KB", "MB", "GB", "TB"] as const;

/** `812 bytes`, `48.2 KB`, `3.1 MB`, `52.0 GB`. */
export function formatBytes(bytes: number): string {
  let [amount, unit] = [bytes, "bytes"];
  for (const larger of BYTE_UNITS) {
    // from 999.95 on, it would round to 1000.0
    if (amount < (unit === "bytes" ? 1000 : 999.95)) break;
    [amount, unit] = [amount / 1000, larger];
  }
  return `${unit === "bytes" ? amount : amount.toFixed(1)} ${unit}`;
}
