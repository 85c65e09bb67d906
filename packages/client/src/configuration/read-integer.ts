/** What an option may be, both ends included. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** Milliseconds that timers can count. */
export const DURATION_MS: IntegerRange = { min: 1, max: 2 ** 31 - 1 };
export const RETRIES: IntegerRange = { min: 0, max: 100 };

/** @throws RangeError in the words of the service's own messages. */
export function readInteger(name: string, given: number, { min, max }: IntegerRange): number {
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
}
