/** The forms of RFC 9110, 5.6.7: the fixed one, and the two obsolete ones that recipients still have to read. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [-A-Za-z0-9 ]+ \d\d:\d\d:\d\d( GMT| \d{4})$/;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), in seconds or as a date, as milliseconds from the instant
 * `now`; 0 for a date that has passed, `null` for a text that says nothing.
 *
 * @example
 * parseRetryAfter("120", Date.now()); // 120_000
 */
export function parseRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return null;
  // asctime names no zone and means this one
  const instant = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}
