import type { ToolAnnotations } from "@modelcontextprotocol/server";
import * as z from "zod";
import { renderingFacts, SIGNED_IMAGE_URL_EXAMPLE } from "../openapi/rendering-schemas.ts";
import { usageReport } from "../openapi/schemas.ts";
import { inputSchema, toObjectSchema, type ObjectSchema } from "./input-schema.ts";

/*
 * Definitions of the tools; `create-mcp-server.ts` implements them.
 */

export const imageFacts = renderingFacts.extend({
  content_type: z.string().meta({ description: "Type of the image.", example: "image/png" }),
  signed_url: z.url().nullable().meta({
    description:
      "URL of the file, usable without a token. Null if the result contains the file itself, or if the file could not be cached.",
    example: SIGNED_IMAGE_URL_EXAMPLE,
  }),
  width: z.int().min(1).meta({ description: "Width in pixels.", example: 1280 }),
  height: z.int().min(1).meta({ description: "Height in pixels.", example: 800 }),
  preview: z
    .object({
      content_type: z.string().meta({ description: "Type of the preview.", example: "image/webp" }),
      size: z.int().min(1).meta({ description: "Size of the preview in bytes.", example: 310_442 }),
      width: z.int().min(1).meta({ description: "Width of the preview in pixels.", example: 1132 }),
      height: z.int().min(1).meta({ description: "Height of the preview in pixels.", example: 7075 }),
    })
    .nullable()
    .meta({
      description:
        "The image in the result, if it is a preview; all other members describe the full file. Null if the result contains the file itself, or if no preview could be made.",
    }),
});

/** One tool, as `tools/list` returns it. */
export interface ToolDefinition {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** A call can cost a credit and, with `storeTo`, stores an object. By default, a repeat is served from the cache. */
const RENDER_ANNOTATIONS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

export const TOOLS = {
  "take-screenshot": {
    title: "Take a screenshot",
    description:
      "Renders a web page, HTML or Markdown in a real browser and returns the image. Costs one credit; an identical repeat is free while the image is cached. Send format webp with fullPage, and width and height together. An image larger than 700 KB or 8,000 px per side is returned as a link to the full file, with a smaller preview if possible; to see details, send a selector or a clip region. Requests with headers, cookies, basicAuth or very long parameters get no link, and fail if the image is too large or AVIF.",
    inputSchema: inputSchema("screenshot"),
    outputSchema: toObjectSchema(imageFacts),
    annotations: RENDER_ANNOTATIONS,
  },
  "create-pdf": {
    title: "Create a PDF",
    description:
      "Prints a web page, HTML or Markdown to PDF and returns a link to the file, which works without a token until it expires; with headers, cookies, basicAuth or very long parameters, returns the file itself, up to 700 KB. Costs one credit; an identical repeat is free while the file is cached.",
    inputSchema: inputSchema("pdf"),
    outputSchema: toObjectSchema(renderingFacts),
    annotations: RENDER_ANNOTATIONS,
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
