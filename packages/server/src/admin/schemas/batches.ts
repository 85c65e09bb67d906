import {
  ERROR_CODES,
  type AdminBatch,
  type AdminBatchItem,
  type AdminBatchSummary,
  type BatchSummaryDocument,
  type DeliveryAttemptDocument,
  type ErrorCode,
} from "@snap/protocol";
import * as z from "zod";
import { count, instant, optionalInstant } from "./lists.ts";

const STATES = ["queued", "rendering", "done", "failed"] as const;

export const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

export const errorCode: z.ZodType<ErrorCode> = z.enum(CODES);

const webhook = z.object({
  url: z.string().meta({ format: "uri" }),
  status: z.enum(["waiting", "due", "sending", "delivered", "abandoned"]).meta({
    description: "`waiting`: the batch is not complete; `abandoned`: no more attempts follow.",
  }),
  attempts: count,
  next_attempt_at: optionalInstant,
  delivered_at: optionalInstant,
});

const operatorWebhook = webhook.extend({
  lease_ends_at: optionalInstant.meta({
    description: "When the running attempt's lease expires; null if no attempt is running.",
  }),
});

const facts = z.object({
  id: z.string().meta({ example: "batch_0a1b2c3d4e5f60718293a4b5" }),
  status: z.enum(["pending", "complete"]),
  created_at: instant,
  finished_at: optionalInstant,
  prunes_at: optionalInstant.meta({ description: "When it will be deleted; null until it is complete." }),
});

const owner = { account_id: z.string(), token_id: z.int() } as const;
const states = z.object({ queued: count, rendering: count, done: count, failed: count }).meta({
  description: "Number of items in each state.",
});

/** A batch in a token holder's list. */
export const ownBatchSummary: z.ZodType<BatchSummaryDocument> = facts
  .extend({ webhook: webhook.nullable(), items: states })
  .meta({ id: "BatchSummary", description: "A batch in a list." });

export const batchSummary: z.ZodType<AdminBatchSummary> = facts
  .extend({ ...owner, webhook: operatorWebhook.nullable(), items: states })
  .meta({ id: "AdminBatchSummary" });

const item: z.ZodType<AdminBatchItem> = z
  .object({
    id: z.string(),
    url: z.string().meta({ format: "uri" }),
    parameters: z
      .record(z.string(), z.unknown())
      .meta({ description: "Without defaults; secrets are `[secret]`." }),
    cache_key: z.string(),
    status: z.enum(STATES),
    error: z.object({ code: errorCode, message: z.string() }).nullable(),
    etag: z.string().nullable(),
    target_status: z.int().nullable(),
    expires_at: optionalInstant,
    credit_cost: z.union([z.literal(0), z.literal(1)]).nullable(),
    notes: z.array(z.string()),
    starts: count.nullable().meta({
      description:
        "Number of times a worker started it, except starts after which it was postponed; null, like the following fields, once it is finished.",
    }),
    fence: count.nullable().meta({ description: "The fencing token of the latest claim." }),
    limited_since: optionalInstant.meta({
      description: "When a temporary failure, such as a rate limit, first postponed it; null if none has.",
    }),
    due_at: optionalInstant.meta({ description: "When it will be started next." }),
    lease_ends_at: optionalInstant.meta({
      description: "When the lease of the worker that is rendering it expires.",
    }),
  })
  .meta({ id: "AdminBatchItem" });

export const batch: z.ZodType<AdminBatch> = facts
  .extend({ ...owner, webhook: operatorWebhook.nullable(), items: z.array(item) })
  .meta({ id: "AdminBatch" });

export const deliveryAttempt: z.ZodType<DeliveryAttemptDocument> = z
  .object({
    id: z.string().meta({ example: "dlv_0193a1b2c3d4e5f60718293a" }),
    batch_id: z.string(),
    at: instant.meta({ description: "When it started." }),
    attempt: z
      .int()
      .min(1)
      .meta({ description: "Its number; resending a finished delivery starts over at 1." }),
    duration_ms: count,
    delivered: z.boolean().meta({ description: "Whether the receiver acknowledged it with a 2xx status." }),
    status: z
      .int()
      .nullable()
      .meta({ description: "Status of the response; null if there was no valid one." }),
    failure: z.string().nullable().meta({
      description: "Why there was no valid response; null if there was one.",
      example: "timed-out",
    }),
    body: z.string().nullable().meta({
      description:
        "The first 2 KiB of the response, with `[path]` for the path and query of the webhook's URL.",
    }),
  })
  .meta({ id: "DeliveryAttempt", description: "One attempt to deliver a batch's webhook." });
