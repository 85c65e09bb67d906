import type { OpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { isUnsignable } from "@snap/protocol";
import { CODES, errorResponses, RENDERING_RESPONSES, SIGNED_RENDERING_RESPONSES } from "./responses.ts";
import { registerCaptures } from "./captures.ts";
import { registerBatches } from "./batches.ts";
import { registerDocuments } from "./documents.ts";
import { generateDocument, type OpenApiDocument } from "./generate.ts";
import { CREDIT_HEADERS, headerReferences } from "./headers.ts";
import { ANSWER_PARAMETERS, SIGNED_URL_PARAMETERS, renderParameters } from "./parameters.ts";
import { usageReport } from "./schemas.ts";

const INTRODUCTION = `Renders a publicly reachable web page, HTML or Markdown as a PNG, JPEG, WebP or AVIF image, or as a PDF.

- Each render costs one credit; a failed one is refunded; an identical repeat is served from your cache for free.
- Every error response is a JSON envelope with a \`code\` to branch on. Codes may be added, but never change.
- Booleans are \`true\`/\`false\` or \`1\`/\`0\`. A parameter that the mode does not accept is an error.
- Every path that supports GET also supports HEAD. A method that the path does not support returns 405 \`method_not_allowed\` with \`Allow\`; an unknown path, 404 \`not_found\`; the old \`/api/v1/*\`, 410 \`api_moved\`.
- AI assistants connect to \`/mcp\` over the Model Context Protocol, with the same tokens.`;

const TAGS = [
  { name: "Rendering", description: "Render a page to a file." },
  { name: "Batches", description: "Queue up to 20 captures; get the results by polling or by webhook." },
  { name: "Documents", description: "Upload pages with their files, and render them by their URL." },
  { name: "Account", description: "The account's credits and limits." },
  { name: "Description", description: "Machine-readable descriptions of this API; no token needed." },
];

const BEARER = {
  type: "http",
  scheme: "bearer",
  description:
    "A bearer token, `<id>|<secret>`, created in the console or on the command line, or the operator's `SNAP_TOKEN`.",
} as const;

/**
 * Generates the description that `/v1/openapi.json` serves, from the definitions that validate parameters. The output
 * is deterministic, byte for byte.
 *
 * @param publicUrl - The origin that clients use, without a trailing slash.
 * @example
 * const text = JSON.stringify(openApiDocument("https://snap.example.com"), null, 2);
 */
export function openApiDocument(publicUrl: string): OpenApiDocument {
  const api = {
    title: "snap",
    version: "1.0.0",
    description: INTRODUCTION,
    serverUrl: `${publicUrl}/v1`,
    tags: TAGS,
    securitySchemes: { bearer: BEARER },
  };
  return generateDocument(api, (registry) => {
    registerSnap(registry);
    registerSigned(registry);
    registerCaptures(registry);
    registerBatches(registry);
    registerDocuments(registry);
    registerUsage(registry);
    registerDescription(registry, {
      path: "/openapi.json",
      operationId: "getOpenApi",
      summary: "This description",
    });
    registerDescription(registry, {
      path: "/postman.json",
      operationId: "getPostmanCollection",
      summary: "A Postman collection of this API",
    });
  });
}

function registerSnap(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "get",
    path: "/snap",
    operationId: "renderPage",
    tags: ["Rendering"],
    summary: "Render a page",
    description:
      "Returns a PDF with `pdf=true`, an image otherwise. A target that itself responds with 4xx or 5xx is still rendered, returned with 200 and charged.",
    security: [{ bearer: [] }],
    parameters: [...renderParameters(), ...ANSWER_PARAMETERS],
    responses: { ...RENDERING_RESPONSES, ...errorResponses(CODES.snap, { bearer: true }) },
  });
}

function registerSigned(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "get",
    path: "/snap/signed",
    operationId: "renderSignedPage",
    tags: ["Rendering"],
    summary: "Render a page for a signed URL",
    description:
      "Same as `GET /snap`, on behalf of the token named by `tokenId`. Needs no bearer token, so it works in an `<img>`. The signature covers every parameter: `snap-signed-v1`, a newline, then the parameters without `signature`, sorted bytewise by name, name and value percent-encoded (RFC 3986, except `A-Z a-z 0-9 - . _ ~`) and joined with `&`; HMAC-SHA256, keyed with the token's signing secret.",
    security: [],
    // anyone can see a signed URL
    parameters: [...renderParameters().filter(({ name }) => !isUnsignable(name)), ...SIGNED_URL_PARAMETERS],
    responses: { ...SIGNED_RENDERING_RESPONSES, ...errorResponses(CODES.signed, { bearer: false }) },
  });
}

function registerUsage(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "get",
    path: "/usage",
    operationId: "getUsage",
    tags: ["Account"],
    summary: "Credits, plan, period and limits",
    description: "Costs nothing. Has a separate limit of 60 requests per minute.",
    security: [{ bearer: [] }],
    responses: {
      "200": {
        description: "The usage report, even for an account without a plan or credits.",
        headers: headerReferences(CREDIT_HEADERS),
        content: { "application/json": { schema: usageReport } },
      },
      ...errorResponses(CODES.usage, { bearer: true }),
    },
  });
}

function registerDescription(
  registry: OpenAPIRegistry,
  operation: { path: string; operationId: string; summary: string },
): void {
  registry.registerPath({
    ...operation,
    method: "get",
    tags: ["Description"],
    security: [],
    responses: {
      "200": {
        description: "A JSON document.",
        headers: headerReferences([]),
        content: { "application/json": { schema: { type: "object" } } },
      },
      ...errorResponses(CODES.description, { bearer: false }),
    },
  });
}
