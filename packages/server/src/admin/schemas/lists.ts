import * as z from "zod";

const hasMore = z.boolean().meta({ description: "Whether more entries follow this page." });

/** A page of a list. */
export function listOf(entry: z.ZodType): z.ZodObject {
  return z.object({ entries: z.array(entry), has_more: hasMore });
}

/** A page of a list, with the number of remaining entries. */
export function countedListOf(entry: z.ZodType): z.ZodObject {
  return z.object({
    entries: z.array(entry),
    has_more: hasMore,
    more: z.int().min(0).meta({ description: "Number of entries after this page." }),
  });
}

/** An instant in ISO 8601. */
export const instant = z.iso.datetime({ offset: true });
export const optionalInstant = instant.nullable();
export const count = z.int().min(0);
