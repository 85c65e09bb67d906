import type { AdminHealth, AdminPlan, AdminSession } from "@snap/protocol";
import * as z from "zod";
import { errorCode } from "./batches.ts";
import { count, instant, optionalInstant } from "./lists.ts";

export const plan: z.ZodType<AdminPlan> = z
  .object({
    slug: z.string().meta({ example: "starter" }),
    name: z.string().meta({ example: "Starter" }),
    credits_per_period: count,
    requests_per_minute: count,
  })
  .meta({ id: "Plan" });

export const session: z.ZodType<AdminSession> = z
  .object({
    user: z.enum(["console", "admin token"]).meta({ description: "The user in the audit log." }),
    expires_at: optionalInstant.meta({ description: "Null for the admin token, which does not expire." }),
  })
  .meta({ id: "Session" });

const problem = z.object({
  status: z.enum(["problem", "warning"]).meta({
    description:
      "`problem`: something does not work; `warning`: the service works, but something should be fixed.",
  }),
  code: z
    .string()
    .meta({ description: "The code that `snap-server doctor --json` reports.", example: "backup_old" }),
  message: z.string(),
  advice: z.string().nullable().meta({ description: "How to fix it." }),
});

export const health: z.ZodType<AdminHealth> = z
  .object({
    version: z.string(),
    ready: z.boolean(),
    problems: z.array(problem),
    renders: z.object({ running: count, waiting: count }),
    batches: z
      .object({ queued_items: count, rendering_items: count, open_deliveries: count })
      .nullable()
      .meta({ description: "Null if the state cannot be read within a second." }),
    cache: z.object({ bytes: count, max_bytes: count.nullable(), free_bytes: count.nullable() }).nullable(),
    last_backup_at: optionalInstant,
    history: z.boolean().meta({
      description:
        "Whether this process records requests (`SNAP_HISTORY`). The following fields count those of all processes.",
    }),
    today: z
      .object({ renders: count, hits: count, failures: count, credits: count })
      .meta({ description: "Since midnight UTC." }),
    failures: z.array(z.object({ code: errorCode, count })).meta({
      description:
        "Failures of the last 24 hours that are listed in the history, by code, most frequent first.",
    }),
    activity: z
      .array(z.object({ at: instant, renders: count, failures: count }))
      .meta({ description: "The last 60 minutes, one entry per minute, oldest first." }),
  })
  .meta({ id: "Health" });
