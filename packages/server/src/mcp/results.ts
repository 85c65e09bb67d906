import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { Capture, RenderingLink, SnapError } from "@snap/engine";
import type { UsageReport } from "@snap/protocol";
import { imageSize } from "image-size";
import type * as z from "zod";
import type { imageFacts, renderingFacts } from "./tools.ts";

/** decisions.md: beyond either, assistants refuse a picture. */
const SHOWN = { maxBytes: 700_000, maxSidePx: 8000 } as const;

/** A rendering, and the page it is of. */
export interface Rendered {
  readonly url: string;
  readonly capture: Capture;
  /** Makes a signed URL of it. */
  readonly link: () => Promise<RenderingLink>;
}

/** The picture itself, or a link to one that is too large. */
export async function screenshotResult({ url, capture, link }: Rendered): Promise<CallToolResult> {
  const { bytes, contentType } = capture.rendering;
  const { width, height } = imageSize(bytes);
  const isShown = bytes.byteLength <= SHOWN.maxBytes && Math.max(width, height) <= SHOWN.maxSidePx;
  const what = `${nameOfType(contentType)}, ${width} x ${height} px`;
  if (!isShown) {
    const { content, structuredContent } = linkedResult({ what, url, capture, link: await link() });
    return {
      content: [...content, text("The picture is too large to be shown here.")],
      structuredContent: { ...structuredContent, width, height } satisfies z.output<typeof imageFacts>,
    };
  }
  return {
    content: [
      { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: contentType },
      text(describe({ what, url, capture })),
    ],
    structuredContent: { ...factsOf(capture, null), width, height } satisfies z.output<typeof imageFacts>,
  };
}

export async function pdfResult({ url, capture, link }: Rendered): Promise<CallToolResult> {
  return linkedResult({ what: "PDF", url, capture, link: await link() });
}

interface Described {
  readonly what: string;
  readonly url: string;
  readonly capture: Capture;
}

/** The link stands in the text, too: clients of older revisions know no resource links. */
function linkedResult({ link, ...described }: Described & { readonly link: RenderingLink }): {
  content: ContentBlock[];
  structuredContent: z.output<typeof renderingFacts>;
} {
  const { url, capture } = described;
  const type = nameOfType(capture.rendering.contentType);
  const until = new Date(link.expiresAt).toISOString();
  return {
    content: [
      {
        type: "resource_link",
        uri: link.url,
        name: `${new URL(url).hostname}.${type.toLowerCase()}`,
        description: `${type} of ${url}; works until ${until}.`,
        mimeType: capture.rendering.contentType,
        size: capture.rendering.bytes.byteLength,
      },
      text(`${describe(described)} It can be fetched until ${until}: ${link.url}`),
    ],
    structuredContent: factsOf(capture, link),
  };
}

export function usageResult(report: UsageReport): CallToolResult {
  return { content: [text(JSON.stringify(report, null, 2))], structuredContent: { ...report } };
}

/** `code: message`, and what else helps to mend it in a block of its own. */
export function failureResult(error: SnapError, requestId: string): CallToolResult {
  const { code, message, errors = {}, retryAfterSeconds } = error;
  const more = [
    ...Object.entries(errors).map(([name, faults]) => `${name}: ${faults.join("; ")}`),
    ...(retryAfterSeconds === undefined ? [] : [`Retry after ${retryAfterSeconds} s.`]),
    `request_id: ${requestId}`,
  ];
  return { content: [text(`${code}: ${message}`), text(more.join("\n"))], isError: true };
}

function factsOf(
  { rendering, cache, creditCost }: Capture,
  link: RenderingLink | null,
): z.output<typeof renderingFacts> {
  const isKept = cache !== "bypass" || link !== null;
  return {
    etag: rendering.etag,
    content_type: rendering.contentType,
    size: rendering.bytes.byteLength,
    cache: cache === "bypass" ? null : cache === "hit" ? "HIT" : "MISS",
    target_status: rendering.targetStatus,
    expires_at: isKept ? new Date(rendering.expiresAt).toISOString() : null,
    credit_cost: creditCost,
    signed_url: link?.url ?? null,
    notes: [...rendering.notes],
  };
}

/** One line. Nothing in it is text of the page. */
function describe({ what, url, capture }: Described): string {
  const { rendering, creditCost, cache } = capture;
  const { targetStatus, bytes, notes } = rendering;
  const answered = targetStatus === null ? "" : `, which answered ${targetStatus}`;
  const from = cache === "hit" ? "from the cache" : "rendered now";
  const cost = `${creditCost} ${creditCost === 1 ? "credit" : "credits"}`;
  const remarks = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${what}, ${Math.ceil(bytes.byteLength / 1000)} KB, of ${url}${answered}; ${from}, ${cost}${remarks}.`;
}

/** `PNG`, `JPEG`, `WEBP` or `PDF`. */
function nameOfType(contentType: string): string {
  return contentType.slice(contentType.indexOf("/") + 1).toUpperCase();
}

function text(line: string): ContentBlock {
  return { type: "text", text: line };
}
