import { DOCUMENT_LIMITS, mustBeOneOf } from "@snap/protocol";
import * as z from "zod";

/*
 * Validators of the parameters of queries and JSON bodies. Their messages say what is valid.
 */

export function oneOf<const T extends readonly [string, ...string[]]>(
  ...values: T
): z.ZodEnum<z.core.util.ToEnum<T[number]>> {
  return z.enum(values, { error: ({ input }) => mustBeOneOf(values, input) });
}

export function integer({ min, max }: { readonly min: number; readonly max: number }): z.ZodNumber {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function flag(): z.ZodBoolean {
  return z.boolean({ error: "must be true or false" });
}

/** A wrong length ends the checks, so it is reported only once. */
export function text({ max }: { readonly max: number }): z.ZodString {
  const error = `must be a string of 1 to ${max} characters`;
  return z.string({ error }).min(1, { error, abort: true }).max(max, { error, abort: true });
}

/** An instant in ISO 8601. */
export function dateTime(): z.ZodISODateTime {
  return z.iso.datetime({ offset: true, error: "must be a date-time such as 2026-03-01T12:00:00Z" });
}

/** A date in UTC. */
export function date(): z.ZodISODate {
  return z.iso.date({ error: "must be a date such as 2026-03-01" });
}

/** An id in any format, because an id that cannot exist is treated like any unknown one. */
export function id(): z.ZodString {
  return text({ max: LIST_LIMITS.idCharacters });
}

/** An id that is a number, in a query: `readQuery` reads at most 15 digits. */
export function numericId(): z.ZodNumber {
  return integer({ min: 1, max: 999_999_999_999_999 });
}

/** The limits of lists. */
export const LIST_LIMITS = { pageDefault: 50, pageMax: 200, idCharacters: 128 } as const;

/** Selects a page of a list. */
export const paging = {
  limit: integer({ min: 1, max: LIST_LIMITS.pageMax })
    .default(LIST_LIMITS.pageDefault)
    .meta({ description: "Maximum number of entries." }),
  after: id().optional().meta({ description: "Id of the last entry of the previous page." }),
} as const;

/** The query of a list without filters. */
export const listQuery = z.strictObject(paging);

const { ttlMinSeconds: min, ttlMaxSeconds: max, ttlDefaultSeconds } = DOCUMENT_LIMITS;

/** The query of an upload. */
export const uploadQuery = z.strictObject({
  documentTtl: integer({ min, max })
    .default(ttlDefaultSeconds)
    .meta({ description: `How long the document is stored, in seconds; ${ttlDefaultSeconds} by default.` }),
});
