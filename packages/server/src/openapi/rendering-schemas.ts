import { ANSWERS, type RenderingDocument } from "@snap/protocol";
import * as z from "zod";
import { STORED_LOCATION_EXAMPLE } from "./batch-schemas.ts";

const SIGNED_URL = "https://snap.example.com/v1/snap/signed";
const SIGNED_PARAMETERS = `tokenId=7&url=https%3A%2F%2Fexample.com%2F&signature=${"0".repeat(64)}`;
/** A signed URL of an image. */
export const SIGNED_IMAGE_URL_EXAMPLE = `${SIGNED_URL}?${SIGNED_PARAMETERS}`;

/** Metadata of a rendering. In the examples, the type and the link are those of a PDF. */
export const renderingFacts = z.object({
  etag: z.string().meta({ description: "Entity tag of the file.", example: '"5891b5b5…"' }),
  content_type: z.string().meta({ description: "Type of the file.", example: "application/pdf" }),
  size: z.int().min(0).meta({ description: "Size of the file in bytes.", example: 48_213 }),
  cache: z.enum(["HIT", "MISS"]).nullable().meta({
    description:
      "`HIT`: served from the cache. `MISS`: rendered now, and cached if it fits. Null if `cache` was false.",
    example: "MISS",
  }),
  target_status: z.int().min(100).max(999).nullable().meta({
    description: "HTTP status of the page itself. Null if unknown, as for every PDF.",
    example: 200,
  }),
  expires_at: z.iso.datetime({ offset: true }).nullable().meta({
    description: "When the link expires or, without a link, the cached rendering. Null if there is neither.",
    example: "2026-03-02T12:00:00.000Z",
  }),
  credit_cost: z
    .union([z.literal(0), z.literal(1)])
    .meta({ description: "Credits that this call costs.", example: 1 }),
  signed_url: z
    .url()
    .nullable()
    .meta({
      description:
        "URL of the file, usable without a token. Null if the result contains the file itself, or if the file could not be cached.",
      example: `${SIGNED_URL}?pdf=true&${SIGNED_PARAMETERS}`,
    }),
  notes: z.array(z.string()).meta({
    description: "Notes on the render, as in the `X-Render-Notes` header.",
    example: ["wait-capped"],
  }),
  stored_location: z.string().nullable().meta({
    description: "Where the file was stored, as in the `X-Stored-Location` header. Null without `storeTo`.",
    example: STORED_LOCATION_EXAMPLE,
  }),
});

/** What `GET /snap` and `POST /captures` accept in addition to the parameters of a rendering. */
export const answerShape = {
  answer: z.enum(ANSWERS).default("file").meta({
    description:
      "What to return: the `file`, or its metadata as `json`, with a link to the file. Rendering, cost and caching are the same for both.",
    example: "json",
  }),
} as const;

/** The body of a response to `answer=json`. The examples are those of an image. */
export const renderingDocument = renderingFacts
  .extend({
    content_type: z.string().meta({ description: "Type of the file.", example: "image/png" }),
    width: z.int().min(1).nullable().meta({ description: "Width in pixels. Null for a PDF.", example: 1280 }),
    height: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "Height in pixels. Null for a PDF.", example: 800 }),
    pages: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "Number of pages of a PDF. Null for an image.", example: null }),
    title: z.string().nullable().meta({
      description:
        "Title of the page, with control and bidirectional characters replaced by spaces. Null if it has none, or if unknown.",
      example: "Example Domain",
    }),
    final_url: z.url().nullable().meta({
      description:
        "URL of the page after redirects. Null if it is longer than 2,048 characters, or neither `http` nor `https`.",
      example: "https://example.com/",
    }),
    signed_url: z.url().nullable().meta({
      description:
        "URL of the file, usable without a token. Null if `cache` was false, if parameters are secret or too long, or if the file could not be cached.",
      example: SIGNED_IMAGE_URL_EXAMPLE,
    }),
  })
  .meta({
    id: "Rendering",
    description:
      "The metadata of a rendering. `pages`, `title` and `final_url` are also null if the rendering was cached by an older release.",
  }) satisfies z.ZodType<RenderingDocument>;
