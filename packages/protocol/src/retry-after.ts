/** The formats of RFC 9110, 5.6.7: the current one, and the two obsolete ones that recipients must accept. */
const HTTP_DATE = /^[A-Z][a-z]+,? .+ (GMT|\d{4})$/;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3), which is a number of seconds or a date. Returns the milliseconds from `now`,
 * 0 for a date in the past, or `null` if it is missing or invalid.
 *
 * @example
 * parseRetryAfter("120", Date.now()); // 120_000
 */
export function parseRetryAfter(text: string | null | undefined, now: number): number | null {
  if (text == null) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return null;
  // the asctime format has no zone and means GMT
  const instant = Date.parse(text.replace(/\d{4}$/, "$& GMT"));
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}
