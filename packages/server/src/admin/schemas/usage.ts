import type { AdminUsage } from "@snap/protocol";
import * as z from "zod";
import { count } from "./lists.ts";

export const usage: z.ZodType<AdminUsage> = z
  .object({
    day: z.iso.date().nullable().meta({ description: "In UTC; null unless grouped by day." }),
    account_id: z.string().nullable().meta({ description: "Null if grouped by day." }),
    token_id: z.int().nullable().meta({ description: "Null unless grouped by token." }),
    renders: count,
    hits: count.meta({ description: "Captures served from the cache." }),
    failures: count,
    credits: count,
    mean_render_ms: count
      .nullable()
      .meta({ description: "Mean duration of a render; null if there were no renders." }),
    longest_render_ms: count,
  })
  .meta({ id: "Usage" });
