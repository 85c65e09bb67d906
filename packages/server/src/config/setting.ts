import type * as z from "zod";

/** One setting of the environment. */
export interface Setting {
  readonly variable: `SNAP_${string}`;
  /** Whether the value is never shown, and can be in a file that the variable with `_FILE` names. */
  readonly secret?: true;
  readonly schema: z.ZodType;
  readonly description: string;
  readonly unset: string;
}

/** A schema whose value is `null` if the variable is not set. */
export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | null> {
  return schema.optional().transform((value) => value ?? null);
}
