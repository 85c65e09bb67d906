import type { AdminRequest } from "@snap/protocol";
import * as z from "zod";
import { errorCode } from "./batches.ts";
import { count, instant, optionalInstant } from "./lists.ts";

export const ENTRY_POINTS = ["snap", "signed", "captures", "mcp", "batch", "engine"] as const;

export const historyEntry: z.ZodType<AdminRequest> = z
  .object({
    id: z.string().meta({ example: "req_0193a1b2c3d4e5f60718293a" }),
    at: instant.meta({ description: "When it finished." }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: "The `X-Request-Id` of the response, or the id of the batch item." }),
    batch_id: z.string().nullable(),
    account_id: z.string(),
    token_id: z.int(),
    entry_point: z.enum(ENTRY_POINTS),
    mode: z
      .enum(["screenshot", "pdf"])
      .nullable()
      .meta({ description: "Null if the parameters are invalid or were not read." }),
    host: z.string().nullable().meta({ description: "Host of the page." }),
    parameters: z.record(z.string(), z.unknown()).nullable().meta({
      description:
        "Without defaults; secrets are `[secret]`. Null if they are invalid or longer than 64 KiB, or if the request was rejected before they were read.",
    }),
    status: z.int().meta({ description: "200, or the status of `code`." }),
    code: errorCode.nullable(),
    message: z.string().nullable(),
    duration_ms: count,
    cache: z
      .enum(["HIT", "MISS"])
      .nullable()
      .meta({ description: "`X-Cache`; null for requests with `cache=0` and for failures." }),
    credit_cost: z.union([z.literal(0), z.literal(1)]),
    etag: z.string().nullable(),
    bytes: count.nullable(),
    target_status: z.int().nullable(),
    notes: z.array(z.string()),
    expires_at: optionalInstant.meta({ description: "When the cached rendering expires." }),
  })
  .meta({ id: "Request", description: "One capture, charged or not." });
