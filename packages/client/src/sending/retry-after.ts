/** A day's name stands first in each of the three forms of RFC 9110, 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]+,? /;

/** `Retry-After` in seconds (RFC 9110, 10.2.3); `null` for none and for what it can't be. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}
