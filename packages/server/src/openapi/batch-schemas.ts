import { pdfParameters, screenshotParameters } from "@snap/engine";
import { BATCH_LIMITS, LIMITS, type BatchItem, type RenderBatch } from "@snap/protocol";
import * as z from "zod";

/*
 * Schemas of submissions and batches. A submission's items extend the definitions that validate parameters.
 */

const cacheTtl = z
  .int()
  .min(BATCH_LIMITS.cacheTtlMinSeconds)
  .max(LIMITS.cacheTtlMaxSeconds)
  .meta({
    description: `How long the rendering is cached, in seconds; at least ${BATCH_LIMITS.cacheTtlMinSeconds} in a batch, ${LIMITS.cacheTtlDefaultSeconds} by default.`,
    example: BATCH_LIMITS.cacheTtlMinSeconds,
  })
  .optional();

// A batch serves its renderings from the cache, so none can bypass it.
const cache = z
  .literal(true)
  .meta({ description: "A batch always caches its renderings: send `true`, or omit it.", example: true })
  .optional();

function itemSchema(
  { shape }: typeof screenshotParameters | typeof pdfParameters,
  { id, file }: { readonly id: string; readonly file: string },
): z.ZodObject {
  return z
    .strictObject({ ...shape, cache, cacheTtl })
    .meta({ id, description: `The parameters of ${file}, as for \`GET /snap\`.` });
}

const item = z.union([
  itemSchema(screenshotParameters, { id: "ScreenshotItem", file: "a screenshot" }),
  itemSchema(pdfParameters, { id: "PdfItem", file: "a PDF" }),
]);

/** A complete submission. */
export const SUBMISSION_EXAMPLE = {
  items: [
    { url: "https://example.com/", format: "webp", fullPage: true },
    { url: "https://example.com/", pdf: true, paperFormat: "letter" },
  ],
} as const;

/** The body of `POST /renders`. */
export const batchSubmission = z
  .strictObject({
    items: z.array(item).min(1).max(BATCH_LIMITS.items).meta({
      description:
        "The captures. Two items must not be the same capture; `cacheTtl`, `storeTo` and `storeKey` make no difference.",
    }),
    webhookUrl: z.string().max(LIMITS.urlCharacters).nullish().meta({
      description: "URL that receives the finished batch; its host must be publicly reachable, as for `url`.",
      format: "uri",
      example: "https://example.com/webhooks/snap",
    }),
  })
  .meta({ id: "BatchSubmission", description: "Captures that are queued together." });

/** The location of a stored rendering. */
export const STORED_LOCATION_EXAMPLE =
  "s3://example-renderings/acct_0123456789abcdef0123/example.com/2026-03-01/item_5f0c1e2d3a4b5c6d7e8f9a0b.png";

const dateTime = z.iso.datetime({ offset: true });

const batchItem: z.ZodType<BatchItem> = z
  .object({
    id: z.string().meta({
      description: "Stable for the lifetime of the batch.",
      example: "item_5f0c1e2d3a4b5c6d7e8f9a0b",
    }),
    url: z.string().meta({
      description: "The page that this item renders.",
      format: "uri",
      example: "https://example.com/",
    }),
    status: z.union([z.enum(["queued", "rendering", "done", "failed"]), z.string()]).meta({
      description:
        "`done` and `failed` are terminal. More statuses may be added: treat an unknown one as unfinished.",
      example: "done",
    }),
    error: z
      .object({
        code: z
          .string()
          .meta({ description: "One of the published error codes.", example: "render_timeout" }),
        message: z.string().meta({ description: "For people; the wording may change at any time." }),
      })
      .nullable()
      .meta({ description: "Null unless the item failed." }),
    etag: z.string().nullable().meta({
      description: "Entity tag of the rendering, for `If-None-Match`; null until it is rendered.",
    }),
    target_status: z.int().nullable().meta({
      description: "HTTP status of the page itself. Null if unknown, which does not mean 200.",
      example: 200,
    }),
    expires_at: dateTime.nullable().meta({
      description:
        "When the cached rendering expires; from then on, the same request renders again and costs a credit. Null if nothing is cached.",
    }),
    signed_url: z.string().nullable().meta({
      description:
        "URL of the rendering, usable without a token while it is cached. Null if such a URL would not work; while the rendering is cached, the identical `GET /snap` still returns it for free.",
      format: "uri",
    }),
    credit_cost: z
      .union([z.literal(0), z.literal(1)])
      .nullable()
      .meta({
        description:
          "1 for a render; 0 for a cache hit or a refunded failure. Null until the item is terminal.",
        example: 1,
      }),
    notes: z
      .array(z.string())
      .optional()
      .meta({
        description: "Notes on the render, as in the `X-Render-Notes` header. Absent if there are none.",
        example: ["wait-capped"],
      }),
    stored_location: z.string().optional().meta({
      description:
        "Where the rendering was stored, as in the `X-Stored-Location` header. Absent without `storeTo`.",
      example: STORED_LOCATION_EXAMPLE,
    }),
  })
  .meta({ id: "BatchItem", description: "One item of a batch." });

/** A batch, as returned by submission and polling and delivered by the webhook. */
export const renderBatch: z.ZodType<RenderBatch> = z
  .object({
    id: z.string().meta({
      description: "Id to poll with; also the `X-Webhook-Id` of every webhook delivery.",
      example: "batch_0a1b2c3d4e5f60718293a4b5",
    }),
    status: z.enum(["pending", "complete"]).meta({ description: "`complete` once every item is terminal." }),
    created_at: dateTime.meta({ description: "When the batch was submitted." }),
    finished_at: dateTime.nullable().meta({ description: "When the last item finished." }),
    prunes_at: dateTime.meta({
      description:
        "When the batch will be deleted, by default seven days after it finishes; while it is pending, the earliest possible time. From then on, the id returns 404.",
    }),
    webhook: z
      .object({
        url: z.string().meta({ description: "URL that receives the finished batch.", format: "uri" }),
        delivered_at: dateTime.nullable().meta({
          description:
            "When the receiver acknowledged a delivery with a 2xx; null until then, and if every attempt fails.",
        }),
      })
      .nullable()
      .meta({ description: "Null if the submission has no `webhookUrl`." }),
    items: z.array(batchItem).meta({ description: "The items, in the order of submission." }),
    test: z
      .literal(true)
      .optional()
      .meta({ description: "Present only in a test event of a webhook, which has no items." }),
  })
  .meta({ id: "RenderBatch", description: "Captures that were queued together, and the status of each." });
