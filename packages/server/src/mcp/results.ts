import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { SnapError, type Capture, type RenderingLink } from "@snap/engine";
import type { RenderedFile } from "@snap/engine/ports";
import { invalidParameter, type Preview } from "@snap/engine/internals";
import { explainNote, type UsageReport } from "@snap/protocol";
import { imageSize } from "image-size";
import type * as z from "zod";
import { INVISIBLE_CHARACTERS } from "../operations/printable.ts";
import { factsOf } from "../requests/rendering-facts.ts";
import type { renderingFacts } from "../openapi/rendering-schemas.ts";
import type { imageFacts } from "./tools.ts";

/** Assistants reject larger images. */
export const INLINE_LIMITS = { maxBytes: 700_000, maxSidePx: 8000 } as const;

const TOO_LARGE =
  "Image too large to inline (limit 700 KB, 8,000 px per side). For a smaller one, try format webp or jpeg with a " +
  "quality, a smaller width and height, scale 1, a selector or a clip region, or omit fullPage.";

const NO_PREVIEW =
  "Assistants do not accept AVIF, and no preview could be made. Try again later, or omit the output parameter.";

const PDF_TOO_LARGE = "PDF too large to inline (limit 700 KB).";

/** The format of previews, which every assistant and client accepts. */
const PREVIEW_TYPE = "image/webp";

const UNLINKED =
  "Requests with headers, cookies or basicAuth get no link, because anyone who has it could use it. Neither do requests with very long parameters.";

const UNCACHED = "There is no link, because the file could not be cached.";

const USE_HTTP_API = "To get the file itself, send the request to POST /v1/captures with the token.";

const TYPE_NAMES: Readonly<Record<string, string>> = {
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/webp": "WebP",
  "image/avif": "AVIF",
  "application/pdf": "PDF",
};

/** A rendering and its page. */
export interface Rendered {
  readonly url: string;
  readonly capture: Capture;
  /** Signs a URL for the rendering if it is cached; `null` if the request cannot be a signed URL. */
  readonly link: (() => RenderingLink | null) | null;
}

/** Returns whether the result needs a preview: the image is too large, or AVIF, which assistants do not accept. */
export function needsPreview({ bytes, contentType }: Pick<RenderedFile, "bytes" | "contentType">): boolean {
  return contentType === "image/avif" || isTooLarge({ bytes });
}

/** Returns whether an image is too large to be part of a tool result. */
function isTooLarge({ bytes }: Pick<Capture["rendering"], "bytes">): boolean {
  const { width, height } = imageSize(bytes);
  return bytes.byteLength > INLINE_LIMITS.maxBytes || Math.max(width, height) > INLINE_LIMITS.maxSidePx;
}

/**
 * Checks the file of a request that gets no link.
 *
 * @throws SnapError if it is too large to be part of a tool result.
 */
export function requireInlineable(file: Pick<RenderedFile, "bytes" | "contentType">): void {
  rejectTooLarge(file, UNLINKED);
}

/**
 * Checks a file that gets no link because it is not cached.
 *
 * @throws SnapError if it cannot be part of a tool result.
 */
export function requireInlineableUncached(file: Pick<RenderedFile, "bytes" | "contentType">): void {
  rejectTooLarge(file, UNCACHED);
  if (file.contentType === "image/avif")
    throw new SnapError("render_failed", `Assistants do not accept AVIF. ${UNCACHED} ${USE_HTTP_API}`);
}

function rejectTooLarge(
  { bytes, contentType }: Pick<RenderedFile, "bytes" | "contentType">,
  reason: string,
): void {
  const isPdf = contentType === "application/pdf";
  if (isPdf ? bytes.byteLength <= INLINE_LIMITS.maxBytes : !isTooLarge({ bytes })) return;
  const problem = isPdf ? PDF_TOO_LARGE : TOO_LARGE;
  throw new SnapError("render_failed", `${problem} ${reason} ${USE_HTTP_API}`, {
    notes: ["capture-too-large"],
  });
}

/**
 * Checks the format of a request that gets no link.
 *
 * @throws SnapError if `output` is a format that assistants do not accept, so nothing could be returned.
 */
export function requireInlineableFormat(output: unknown): void {
  if (output === "avif")
    throw invalidParameter(
      "output",
      `cannot be avif, which assistants do not accept. ${UNLINKED} ${USE_HTTP_API}`,
    );
}

/** The image itself; or, if it needs a preview, the link and the preview, where they exist. */
export function screenshotResult({
  url,
  capture,
  link,
  preview,
}: Rendered & { readonly preview: Preview | null }): CallToolResult {
  const { bytes, contentType } = capture.rendering;
  const { width, height } = imageSize(bytes);
  const size = { width, height };
  const described = { label: `${nameOfType(contentType)}, ${width} x ${height} px`, url, capture };
  const signed = needsPreview(capture.rendering) ? link?.() : null;
  const linked = signed ? linkedResult({ ...described, link: signed }) : null;
  const { content, structuredContent } = linked ?? {
    content: [text(describe(described))],
    structuredContent: factsOf(capture, null),
  };
  if (preview !== null) {
    content.unshift(imageBlock(preview.bytes, PREVIEW_TYPE));
    content.push(text(describePreview(preview, size)));
  } else if (!needsPreview(capture.rendering)) content.unshift(imageBlock(bytes, contentType));
  else content.push(text(isTooLarge(capture.rendering) ? TOO_LARGE : NO_PREVIEW));
  return { content, structuredContent: imageFactsOf(structuredContent, { size, preview }) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function imageBlock(bytes: Uint8Array, mimeType: string): ContentBlock {
  return { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType };
}

function imageFactsOf(
  facts: z.output<typeof renderingFacts>,
  { size, preview }: { readonly size: Size; readonly preview: Preview | null },
): z.output<typeof imageFacts> {
  if (preview === null) return { ...facts, ...size, preview: null };
  const { bytes, width, height } = preview;
  return {
    ...facts,
    ...size,
    preview: { content_type: PREVIEW_TYPE, size: bytes.byteLength, width, height },
  };
}

function describePreview({ width, height }: Preview, full: Size): string {
  const isSmaller = width < full.width || height < full.height;
  const change = isSmaller
    ? `shrunk to ${width} x ${height} px from ${full.width} x ${full.height} px`
    : "converted";
  return (
    `The image above is a preview in WebP, ${change}, because the file is too large to inline or not in a format that ` +
    "assistants accept. To see details, call the tool with a selector or a clip region."
  );
}

/** A link; or, if it cannot be linked, the PDF itself unless it is too large. */
export function pdfResult({ url, capture, link }: Rendered): CallToolResult {
  const label = "PDF";
  const signed = link?.();
  if (signed) return linkedResult({ label, url, capture, link: signed });
  const { bytes, contentType: mimeType } = capture.rendering;
  const facts = factsOf(capture, null);
  // it was stored for the caller, so it was not rejected as too large
  if (bytes.byteLength > INLINE_LIMITS.maxBytes)
    return { content: [text(`${describe({ label, url, capture })} ${UNCACHED}`)], structuredContent: facts };
  const uri = `snap://renderings/${fileName(url, mimeType)}`;
  return {
    content: [
      { type: "resource", resource: { uri, mimeType, blob: Buffer.from(bytes).toString("base64") } },
      text(`${describe({ label, url, capture })} ${link === null ? UNLINKED : UNCACHED}`),
    ],
    structuredContent: facts,
  };
}

interface ResultDescription {
  readonly label: string;
  readonly url: string;
  readonly capture: Capture;
}

/** The text repeats the link, because not every client shows resource links to its model. */
function linkedResult({ link, ...described }: ResultDescription & { readonly link: RenderingLink }): {
  content: ContentBlock[];
  structuredContent: z.output<typeof renderingFacts>;
} {
  const { url, capture } = described;
  const { contentType, bytes } = capture.rendering;
  const until = new Date(link.expiresAt).toISOString();
  return {
    content: [
      {
        type: "resource_link",
        uri: link.url,
        name: fileName(url, contentType),
        title: `${nameOfType(contentType)} of ${url}`,
        description: `Valid until ${until}.`,
        mimeType: contentType,
        size: bytes.byteLength,
      },
      text(`${describe(described)} Link, valid until ${until}: ${link.url}`),
    ],
    structuredContent: factsOf(capture, link),
  };
}

export function usageResult(report: UsageReport): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(report, null, 2) }],
    structuredContent: { ...report },
  };
}

/** `code: message`, and a second block with the details that help to fix the error. */
export function failureResult(error: SnapError, requestId: string): CallToolResult {
  const { code, message, errors = {}, retryAfterSeconds, notes } = error;
  const problems = Object.entries(errors).map(([name, messages]) => `${name} ${messages.join("; ")}`);
  const details = [
    // The message already names the problem if there is only one.
    ...(problems.length > 1 ? problems : []),
    ...(retryAfterSeconds === undefined ? [] : [`Retry after ${retryAfterSeconds} s.`]),
    ...(notes.length === 0 ? [] : [`notes: ${notes.join(", ")}`]),
    `request_id: ${requestId}`,
  ];
  return { content: [text(`${code}: ${message}`), text(...details)], isError: true };
}

/** One line, without any text from the page. */
function describe({ label, url, capture }: ResultDescription): string {
  const { rendering, creditCost, cache, storedLocation } = capture;
  const { targetStatus, bytes, notes } = rendering;
  const status = targetStatus === null ? "" : ` (status ${targetStatus})`;
  const from = cache === "hit" ? "from the cache" : "rendered now";
  const cost = `${creditCost} ${creditCost === 1 ? "credit" : "credits"}`;
  const remarks = notes.map((note) => ` ${note}: ${explainNote(note) ?? ""}`.trimEnd()).join("");
  const stored = storedLocation === null ? "" : ` Stored at ${storedLocation}.`;
  return `${label}, ${Math.ceil(bytes.byteLength / 1000)} KB, of ${url}${status}; ${from}, ${cost}.${stored}${remarks}`;
}

/** A name that hints at the page, in characters that every file system accepts. */
function fileName(url: string, contentType: string): string {
  const { hostname, pathname } = new URL(url);
  const name = `${hostname}${pathname}`.replaceAll(/[^A-Za-z0-9.]+/g, "-").replace(/-$/, "");
  return `${name.slice(0, 80)}.${nameOfType(contentType).toLowerCase()}`;
}

function nameOfType(contentType: string): string {
  return TYPE_NAMES[contentType] ?? contentType;
}

/** Escapes invisible characters, so text from a caller cannot pass for another line. */
function text(...lines: readonly string[]): ContentBlock {
  const escaped = lines.map((line) => line.replaceAll(INVISIBLE_CHARACTERS, escapeCharacter));
  return { type: "text", text: escaped.join("\n") };
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
