import { SIGNED_PARAMETERS_MAX } from "../../../../engine/src/tokens/authenticate-signed.ts";
import { SETTINGS } from "../../../../server/src/config/settings.ts";
import { ZIP_ENTRIES_MAX } from "../../../../server/src/documents/read-zip.ts";
import { INLINE_LIMITS } from "../../../../server/src/mcp/results.ts";
import { HTTP_LIMITS } from "../../../../server/src/requests/limits.ts";
import { BATCH_LIMITS, CAPTURE_LIMITS, DOCUMENT_LIMITS, LIMITS } from "@snap/protocol";
import { code, count, readComments, table, type ReferencePage } from "./page.ts";

export const limitsPage: ReferencePage = {
  file: "limits.md",
  title: "Limits",
  summary: "Limits on requests, batches, documents and renderings, with their units.",
  parts: () => [
    "Limits per minute apply to each account. A window begins with the first request and lasts 60 seconds. A request over the limit returns 429 `rate_limited`, with the exact time to wait in `Retry-After`. For the ranges of parameters, see [Parameters](parameters.md).",
    "## Requests",
    limitsTable(LIMITS, "LIMITS"),
    "## Batches",
    limitsTable(BATCH_LIMITS, "BATCH_LIMITS"),
    "## Documents",
    limitsTable(DOCUMENT_LIMITS, "DOCUMENT_LIMITS"),
    `A ZIP file may have at most ${count(ZIP_ENTRIES_MAX)} entries, including folders.`,
    "## Rendering size",
    "If the parameters alone exceed these limits, the request fails with `validation_failed`. If a rendering exceeds them because of the page, the render fails with `render_failed` and the note `capture-too-large`, and its credit is refunded.",
    table(
      ["property", "maximum"],
      [
        ["total pixels, after `scale`", count(CAPTURE_LIMITS.devicePixels)],
        ["total pixels of a resized or converted image", count(CAPTURE_LIMITS.processedPixels)],
        ...Object.entries(CAPTURE_LIMITS.sidePixels)
          .filter(([, side]) => Number.isFinite(side))
          .map(([format, side]) => [
            `pixels per side, ${code(`${format === "avif" ? "output" : "format"}=${format}`)}`,
            count(side),
          ]),
        [
          "size of an image or a PDF, unless `SNAP_MAX_RENDERING_BYTES` is set",
          quantity("maxRenderingBytes", Number(SETTINGS.maxRenderingBytes.default)),
        ],
      ],
    ),
    "## HTTP requests",
    table(
      ["property", "maximum"],
      [
        ["request body, except for uploads and captures", `${count(HTTP_LIMITS.bodyBytes)} bytes`],
        [
          "pieces in which a request body arrives, such as chunks",
          `${count(HTTP_LIMITS.bodyPieces)}, and one more for every ${HTTP_LIMITS.bytesPerPiece} bytes`,
        ],
        ["values in a JSON body, counting arrays and objects", count(HTTP_LIMITS.jsonValues)],
        ["request line and headers", `${count(HTTP_LIMITS.headerBytes)} bytes`],
        ["parameters of a signed URL", count(SIGNED_PARAMETERS_MAX)],
        ["time to receive a whole request", formatDuration(HTTP_LIMITS.requestMs / 1000)],
      ],
    ),
    `Tool results for [an assistant](../how-to/connect-an-assistant.md) contain images of at most ${count(INLINE_LIMITS.maxBytes)} bytes and ${count(INLINE_LIMITS.maxSidePx)} pixels per side, and links to larger ones. For the render timeout, see [Configuration](configuration.md).`,
  ],
};

function limitsTable(limits: Readonly<Record<string, number>>, name: string): string {
  const meaning = readComments("packages/protocol/src/limits.ts", name);
  return table(
    ["limit", "meaning"],
    Object.entries(limits).map(([limit, value]) => [quantity(limit, value), meaning(limit)]),
  );
}

/** Takes the unit from the end of the name. */
function quantity(name: string, value: number): string {
  if (name.endsWith("PerMinute")) return `${count(value)} per minute`;
  if (name.endsWith("Characters")) return `${count(value)} characters`;
  if (name.endsWith("Ms")) return formatDuration(value / 1000);
  if (name.endsWith("Seconds")) return `${count(value)} s${value < 3600 ? "" : `, ${formatDuration(value)}`}`;
  if (name.endsWith("Bytes")) return value < MEBIBYTE ? `${count(value)} bytes` : `${value / MEBIBYTE} MiB`;
  return count(value);
}

const MEBIBYTE = 1024 * 1024;

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

function formatDuration(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? (["second", 1] as const);
  return (seconds / length).toLocaleString("en-US", { style: "unit", unit, unitDisplay: "long" });
}
