import type * as z from "zod";

interface Variable {
  readonly variable: `SNAP_${string}`;
  /** Whether the value is never shown, and can be in a file that the variable with `_FILE` names. */
  readonly secret?: true;
  readonly schema: z.ZodType;
  readonly description: string;
}

/** One setting of the environment. If its variable is not set, `default` applies, or what `unset` describes. */
export type Setting = Variable &
  (
    | { readonly default: string; readonly unset?: never }
    | { readonly unset: string; readonly default?: never }
  );

/** A schema whose value is `null` if the variable is not set. */
export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | null> {
  return schema.optional().transform((value) => value ?? null);
}
