const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a duration such as `500ms`, `45s`, `30m`, `12h` or `30d` into milliseconds; `null` if it is invalid. */
export function readDuration(text: string): number | null {
  const [, digits = "", unit = ""] = /^(\d{1,9})(ms|[smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? null : Number(digits) * unitMs;
}
