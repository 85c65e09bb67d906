import type { UsageReport } from "@snap/protocol";
import * as z from "zod";

/** The body of `GET /usage`. */
export const usageReport: z.ZodType<UsageReport> = z
  .object({
    credits: z
      .object({
        remaining: z.int().min(0).meta({ description: "Credits left.", example: 958 }),
        used: z.int().min(0).meta({ description: "Credits used this period.", example: 42 }),
        total: z.int().min(0).meta({ description: "Credits granted this period.", example: 1000 }),
      })
      .meta({ description: "Credits of the period." }),
    plan: z
      .object({
        name: z.string().meta({ example: "Starter" }),
        slug: z.string().meta({ example: "starter" }),
      })
      .nullable()
      .meta({ description: "Null for an account without a plan." }),
    period: z
      .object({
        started_at: z.iso.datetime({ offset: true }).meta({ example: "2026-03-01T12:00:00.000Z" }),
        resets_at: z.iso.datetime({ offset: true }).meta({ example: "2026-04-01T12:00:00.000Z" }),
      })
      .nullable()
      .meta({ description: "Null for an account without a period." }),
    rate_limit: z.object({
      requests_per_minute: z
        .int()
        .min(0)
        .meta({ description: "The account's render limit, per minute.", example: 20 }),
      cached_requests_per_minute: z.int().min(0).meta({
        description: "Limit of requests served from the cache, per minute; the same for every account.",
        example: 300,
      }),
    }),
  })
  .meta({ id: "UsageReport", description: "Credits, plan, period and per-minute limits." });

/** The body of every error response. */
export const errorEnvelope = z
  .object({
    code: z.string().meta({
      description: "Branch on this. Codes may be added; handle an unknown one by its status.",
      example: "validation_failed",
    }),
    message: z.string().meta({
      description: "For people; the wording may change at any time.",
      example: "quality must be an integer from 1 to 100",
    }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({
        description:
          "Messages by the name of the parameter or file that they concern, or under `body`; absent for other errors.",
        example: { quality: ["must be an integer from 1 to 100"] },
      }),
    request_id: z.uuid().meta({
      description: "Id of this response, the same as in the `X-Request-Id` header.",
      example: "7b0c1a5e-3c86-4a3c-9a53-1d9b7f2e6c11",
    }),
  })
  .meta({ id: "ErrorEnvelope", description: "The shape of every error response." });
