import type { OpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { DOCUMENT_LIMITS, DOCUMENT_TYPES, type StoredDocument } from "@snap/protocol";
import * as z from "zod";
import { uploadQuery } from "../requests/fields.ts";
import { CREDIT_HEADERS, headerReferences } from "./headers.ts";
import { pathId } from "./parameters.ts";
import { CODES, errorResponses } from "./responses.ts";

const { uploadBytes, unpackedBytes, files } = DOCUMENT_LIMITS;
const MEBIBYTE = 1024 * 1024;

/** A page to upload. */
export const UPLOAD_EXAMPLE = "<!doctype html><title>Invoice 7</title><h1>Invoice 7</h1>";

/** The response to an upload, and the body of `GET /documents/{id}`. */
const storedDocument: z.ZodType<StoredDocument> = z
  .object({
    id: z.string().meta({
      description:
        "Digest of the files as they were sent, and of their paths: identical content has the same id.",
      example: "8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb",
    }),
    url: z.string().meta({
      description: "The `url` to send to render the document. It works only in requests from your account.",
      format: "uri",
    }),
    content_type: z.string().meta({
      description: "Media type of the upload; of the first upload, if there were several.",
      example: DOCUMENT_TYPES.html,
    }),
    bytes: z.int().meta({
      description: "Total size of the files, unpacked; `index.md` counts as the HTML page that replaces it.",
      example: 12,
    }),
    files: z.int().meta({ description: "Number of files.", example: 1 }),
    expires_at: z.iso.datetime({ offset: true }).meta({ description: "When the document will be deleted." }),
  })
  .meta({ id: "StoredDocument", description: "A document that is stored for a limited time." });

const documentBody = { "application/json": { schema: storedDocument } };
const text = { schema: { type: "string" } } as const;

const ID = pathId("Id of the document.");

/** Registers the upload of a document, its state and its deletion. */
export function registerDocuments(registry: OpenAPIRegistry): void {
  registerUpload(registry);
  registry.registerPath({
    method: "get",
    path: "/documents/{id}",
    operationId: "getDocument",
    tags: ["Documents"],
    summary: "Find a document",
    description: "Costs nothing and is not rate limited.",
    security: [{ bearer: [] }],
    parameters: [ID],
    responses: {
      "200": {
        description: "The document, without its files.",
        headers: headerReferences(CREDIT_HEADERS),
        content: documentBody,
      },
      ...errorResponses(CODES.poll, { bearer: true }),
    },
  });
  registry.registerPath({
    method: "delete",
    path: "/documents/{id}",
    operationId: "deleteDocument",
    tags: ["Documents"],
    summary: "Delete a document",
    description: "Cached renderings of it remain until they expire.",
    security: [{ bearer: [] }],
    parameters: [ID],
    responses: {
      "204": { description: "Deleted.", headers: headerReferences(CREDIT_HEADERS) },
      ...errorResponses(CODES.poll, { bearer: true }),
    },
  });
}

function registerUpload(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "post",
    path: "/documents",
    operationId: "uploadDocument",
    tags: ["Documents"],
    summary: "Upload HTML, Markdown or a folder",
    description: `Stores a page with its files; render it with the \`url\` in the response. Send one page as HTML or GitHub Flavored Markdown, or several files with an \`index.html\` or \`index.md\` as a ZIP file or as a form whose file names are the paths. At most ${uploadBytes / MEBIBYTE} MiB, ${files} files and ${unpackedBytes / MEBIBYTE} MiB unpacked. Costs nothing. Identical content is stored once, until the later expiry. An account may store ${DOCUMENT_LIMITS.storedDocuments} documents, ${DOCUMENT_LIMITS.storedBytes / MEBIBYTE} MiB in total, and make ${DOCUMENT_LIMITS.uploadsPerMinute} uploads per minute.`,
    security: [{ bearer: [] }],
    request: {
      query: uploadQuery,
      body: {
        required: true,
        content: {
          [DOCUMENT_TYPES.html]: { ...text, example: UPLOAD_EXAMPLE },
          [DOCUMENT_TYPES.markdown]: { ...text, example: "# Report" },
          [DOCUMENT_TYPES.zip]: { schema: { type: "string", contentMediaType: DOCUMENT_TYPES.zip } },
          [DOCUMENT_TYPES.multipart]: {
            schema: {
              type: "object",
              additionalProperties: {
                type: "array",
                items: { type: "string", contentMediaType: "application/octet-stream" },
              },
            },
          },
        },
      },
    },
    responses: {
      "201": {
        description: "The stored document.",
        headers: headerReferences([...CREDIT_HEADERS, "Location"]),
        content: documentBody,
      },
      ...errorResponses(CODES.upload, { bearer: true, readsBody: true }),
    },
  });
}
