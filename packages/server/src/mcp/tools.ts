import type { ToolAnnotations } from "@modelcontextprotocol/server";
import * as z from "zod";
import { STORED_LOCATION_EXAMPLE } from "../openapi/batch-schemas.ts";
import { usageReport } from "../openapi/schemas.ts";
import { inputSchema, toObjectSchema, type ObjectSchema } from "./input-schema.ts";

/*
 * Definitions of the tools; `create-mcp-server.ts` implements them.
 */

/** Metadata of a rendering. */
export const renderingFacts = z.strictObject({
  etag: z.string().meta({ description: "Entity tag of the file.", example: '"5891b5b5…"' }),
  content_type: z.string().meta({ description: "Type of the file.", example: "application/pdf" }),
  size: z.int().min(0).meta({ description: "Size of the file in bytes.", example: 48_213 }),
  cache: z.enum(["HIT", "MISS"]).nullable().meta({
    description: "`HIT`: served from the cache. `MISS`: rendered now and cached. Null if `cache` was false.",
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
  credit_cost: z.literal([0, 1]).meta({ description: "Credits that this call costs.", example: 1 }),
  signed_url: z
    .url()
    .nullable()
    .meta({
      description: "URL of the file, usable without a token. Null if the result contains the file itself.",
      example: `https://snap.example.com/v1/snap/signed?pdf=true&tokenId=7&url=https%3A%2F%2Fexample.com%2F&signature=${"0".repeat(64)}`,
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

export const imageFacts = renderingFacts.extend({
  content_type: z.string().meta({ description: "Type of the image.", example: "image/png" }),
  width: z.int().min(1).meta({ description: "Width in pixels.", example: 1280 }),
  height: z.int().min(1).meta({ description: "Height in pixels.", example: 800 }),
});

/** One tool, as `tools/list` returns it. */
export interface ToolDefinition {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** A call can cost a credit and changes nothing else; a repeat is served from the cache. */
const RENDERS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

export const TOOLS = {
  "take-screenshot": {
    title: "Take a screenshot",
    description:
      "Renders a web page, HTML or Markdown in a real browser and returns the image. Costs one credit; an identical repeat is free while the image is cached. An image larger than 700 KB or 8,000 px per side is returned as a link; format webp or jpeg, a smaller viewport, a selector or a clip region makes it smaller. Requests with headers, cookies, basicAuth or very long parameters get no link.",
    inputSchema: inputSchema("screenshot"),
    outputSchema: toObjectSchema(imageFacts),
    annotations: RENDERS,
  },
  "create-pdf": {
    title: "Create a PDF",
    description:
      "Prints a web page, HTML or Markdown to PDF and returns a link to the file, which works without a token until it expires; with headers, cookies, basicAuth or very long parameters, returns the file itself, up to 700 KB. Costs one credit; an identical repeat is free while the file is cached.",
    inputSchema: inputSchema("pdf"),
    outputSchema: toObjectSchema(renderingFacts),
    annotations: RENDERS,
  },
  "check-usage": {
    title: "Check usage",
    description:
      "Returns the remaining credits, the plan, its period and the limits per minute. Costs nothing.",
    inputSchema: toObjectSchema(z.strictObject({})),
    outputSchema: toObjectSchema(usageReport),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
} as const satisfies Record<string, ToolDefinition>;

export type ToolName = keyof typeof TOOLS;
