export const DAY_MS = 24 * 60 * 60 * 1000;

const DATE_CHARACTERS = "2026-11-25".length;

/** Returns the UTC date of an instant, such as `2026-11-25`. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, DATE_CHARACTERS);
}
