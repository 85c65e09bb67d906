/** Longest delay of a JavaScript timer; with a longer one, it fires immediately. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

/** Inclusive bounds of an integer option. `max` defaults to `TIMER_MAX_MS`. */
export interface IntegerBounds {
  readonly min: number;
  readonly max?: number;
}

/** @throws RangeError that names the first value that is not an integer within its bounds. */
export function requireIntegers<Name extends string>(
  values: Readonly<Record<NoInfer<Name>, number>>,
  bounds: Readonly<Record<Name, IntegerBounds>>,
): void {
  for (const [name, { min, max = TIMER_MAX_MS }] of Object.entries<IntegerBounds>(bounds)) {
    if (!isIntegerWithin(values[name as Name], { min, max }))
      throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
  }
}

export function isIntegerWithin(
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

/** Returns the options without those that are `undefined`, which would override their defaults. */
export function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
