import type { OpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { pdfParameters, screenshotParameters } from "@snap/engine";
import { DOCUMENT_LIMITS } from "@snap/protocol";
import * as z from "zod";
import { ifNoneMatch } from "./parameters.ts";
import { answerShape } from "./rendering-schemas.ts";
import { CODES, errorResponses, RENDERING_RESPONSES } from "./responses.ts";

const MAX_MIB = DOCUMENT_LIMITS.uploadBytes / 1024 / 1024;

/** What a capture can have in place of `url`. */
export const contentShape = {
  html: z.string().min(1).optional().meta({
    description: "The page itself as HTML, in place of `url`. It is not stored.",
    example: "<h1>Invoice 7</h1>",
  }),
  markdown: z.string().min(1).optional().meta({
    description: "The page as GitHub Flavored Markdown, in place of `url`, with a style for print.",
    example: "# Report",
  }),
} as const;

/** Exactly one of them is required. */
const ONE_PAGE = {
  oneOf: ["url", "html", "markdown"].map((name) => ({ required: [name] })),
} as const;

function captureSchema(
  { shape }: typeof screenshotParameters | typeof pdfParameters,
  { id, file }: { readonly id: string; readonly file: string },
): z.ZodObject {
  return z
    .strictObject({ ...shape, url: shape.url.optional(), ...contentShape, ...answerShape })
    .meta({ id, description: `${file} of exactly one of \`url\`, \`html\` and \`markdown\`.`, ...ONE_PAGE });
}

const capture = z.union([
  captureSchema(screenshotParameters, { id: "ScreenshotCapture", file: "A screenshot" }),
  captureSchema(pdfParameters, { id: "PdfCapture", file: "A PDF" }),
]);

/** Complete bodies of `POST /captures`. */
export const CAPTURE_EXAMPLES = {
  invoice: {
    summary: "A PDF of HTML",
    value: { html: "<h1>Invoice 7</h1><p>Total: € 119.00</p>", pdf: true, paperFormat: "a4" },
  },
  report: {
    summary: "A PDF of Markdown",
    value: { markdown: "# Report\n\n| month | sales |\n| --- | ---: |\n| May | 119 |", pdf: true },
  },
  card: {
    summary: "An image of HTML",
    value: { html: "<h1>Hello</h1>", width: 1200, height: 630, format: "webp" },
  },
  page: { summary: "A page on the web", value: { url: "https://example.com/", fullPage: true } },
} as const;

/** Registers the capture of a page in one request. */
export function registerCaptures(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "post",
    path: "/captures",
    operationId: "capture",
    tags: ["Rendering"],
    summary: "Render HTML, Markdown or a page",
    description: `Same as \`GET /snap\`, with the parameters as JSON and exactly one of \`url\`, \`html\` and \`markdown\`. The content is not stored; the same content with the same parameters is served from your cache for free. The page has no other files: upload a document with its images, fonts and style sheets if it needs them. The body can be at most ${MAX_MIB} MiB.`,
    security: [{ bearer: [] }],
    parameters: [ifNoneMatch("Entity tags of renderings that you already have.")],
    request: {
      body: {
        required: true,
        content: {
          "application/json": {
            schema: capture,
            examples: CAPTURE_EXAMPLES,
          },
        },
      },
    },
    responses: {
      ...RENDERING_RESPONSES,
      ...errorResponses(CODES.snap, { bearer: true, readsBody: true }),
    },
  });
}
