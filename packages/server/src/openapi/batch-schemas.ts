import { pdfParameters, screenshotParameters } from "@snap/engine";
import { BATCH_LIMITS, LIMITS, type BatchItem, type RenderBatch } from "@snap/protocol";
import * as z from "zod";

/*
 * The documents of batches (interface.md, Render batch, Batch item and POST /renders). Items of a
 * submission are made of the definitions that validate, with what a batch narrows.
 */

const cacheTtl = z
  .int()
  .min(BATCH_LIMITS.cacheTtlMinSeconds)
  .max(LIMITS.cacheTtlMaxSeconds)
  .meta({
    description: `Seconds for which the rendering is cached, ${BATCH_LIMITS.cacheTtlMinSeconds} or more in a batch; ${LIMITS.cacheTtlDefaultSeconds} unless sent.`,
    example: BATCH_LIMITS.cacheTtlMinSeconds,
  })
  .optional();

// Renderings of a batch are collected later: none goes past the cache.
const cache = z
  .literal(true)
  .meta({ description: "A batch keeps its renderings: `true`, or not sent.", example: true })
  .optional();

const screenshotItem = z
  .strictObject(screenshotParameters.shape)
  .extend({ cache, cacheTtl })
  .meta({ id: "ScreenshotItem", description: "The parameters of a screenshot, as `GET /snap` takes them." });

const pdfItem = z
  .strictObject(pdfParameters.shape)
  .extend({ cache, cacheTtl })
  .meta({ id: "PdfItem", description: "The parameters of a PDF, as `GET /snap` takes them." });

/** A submission that works as it is. */
export const SUBMISSION_EXAMPLE = {
  items: [
    { url: "https://example.com/", format: "webp", fullPage: true },
    { url: "https://example.com/", pdf: true, paperFormat: "letter" },
  ],
} as const;

/** The body of `POST /renders`. */
export const batchSubmission = z
  .strictObject({
    items: z
      .array(z.union([screenshotItem, pdfItem]))
      .min(1)
      .max(BATCH_LIMITS.items)
      .meta({ description: "The captures; no two of the same, how long they are kept aside." }),
    webhookUrl: z.string().max(LIMITS.urlCharacters).nullish().meta({
      description: "Where the finished batch is posted; a publicly reachable host, as for `url`.",
      format: "uri",
      example: "https://example.com/webhooks/snap",
    }),
  })
  .meta({ id: "BatchSubmission", description: "Captures that are queued together." });

const dateTime = z.iso.datetime({ offset: true });

const batchItem: z.ZodType<BatchItem> = z
  .strictObject({
    id: z.string().meta({
      description: "Stable for the life of the batch.",
      example: "item_5f0c1e2d3a4b5c6d7e8f9a0b",
    }),
    url: z.string().meta({
      description: "The page that this item renders.",
      format: "uri",
      example: "https://example.com/",
    }),
    status: z.union([z.enum(["queued", "rendering", "done", "failed"]), z.string()]).meta({
      description:
        "`done` and `failed` are terminal. The set may grow: a status that you don't know means not finished yet.",
      example: "done",
    }),
    error: z
      .strictObject({
        code: z
          .string()
          .meta({ description: "One of the published error codes.", example: "render_timeout" }),
        message: z.string().meta({ description: "For people; may be reworded at any time." }),
      })
      .nullable()
      .meta({ description: "Null unless failed." }),
    etag: z.string().nullable().meta({
      description: "Entity tag of the rendering once there is one; usable in `If-None-Match`.",
    }),
    target_status: z.int().nullable().meta({
      description: "Status that the captured page answered. Null means not known, which is not 200.",
      example: 200,
    }),
    expires_at: dateTime.nullable().meta({
      description: "When the cached rendering lapses; afterwards the same request renders, and costs, again.",
    }),
    signed_url: z.string().nullable().meta({
      description:
        "Fetches the rendering without a token, for as long as it is cached. Null where it would not work, which is no failure: the identical `GET /snap` is answered from the cache as well.",
      format: "uri",
    }),
    credit_cost: z
      .union([z.literal(0), z.literal(1)])
      .nullable()
      .meta({
        description:
          "1 for a render; 0 for a cache hit and for a failure, which is refunded. Null until the item is terminal.",
        example: 1,
      }),
  })
  .meta({ id: "BatchItem", description: "One render of a batch." });

/** A batch as submission, polling and the webhook give it. */
export const renderBatch: z.ZodType<RenderBatch> = z
  .strictObject({
    id: z.string().meta({
      description: "What to poll with; on every webhook delivery as `X-Webhook-Id`.",
      example: "batch_0a1b2c3d4e5f60718293a4b5",
    }),
    status: z.enum(["pending", "complete"]).meta({ description: "`complete` once every item is terminal." }),
    created_at: dateTime.meta({ description: "When the batch was submitted." }),
    finished_at: dateTime.nullable().meta({ description: "When the last item finished." }),
    prunes_at: dateTime.meta({
      description:
        "When the record is deleted, seven days after it finishes. While it runs, the earliest it could go. After it, the id answers 404.",
    }),
    webhook: z
      .strictObject({
        url: z.string().meta({ description: "Where the finished batch is posted.", format: "uri" }),
        delivered_at: dateTime.nullable().meta({
          description: "When a delivery was acknowledged with a 2xx; stays null if every attempt failed.",
        }),
      })
      .nullable()
      .meta({ description: "Null when no delivery was asked for." }),
    items: z.array(batchItem).meta({ description: "The renders, in the order of submission." }),
  })
  .meta({ id: "RenderBatch", description: "Captures that were queued together, and how far each is." });
