import type { Capture } from "@snap/engine";
import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";
import type { Answer } from "../requests/answer.ts";

/**
 * The answer that carries a rendering, or 304 when the client holds it already.
 *
 * @param doorHeaders What depends on the door that was used: caching, budgets, other origins.
 */
export function renderingAnswer(capture: Capture, doorHeaders: OutgoingHttpHeaders): Answer {
  const { rendering, unchanged } = capture;
  const headers = { ...renderingHeaders(capture), ...doorHeaders };
  if (unchanged) return { status: 304, headers };
  const isImage = rendering.contentType !== "application/pdf";
  return {
    status: 200,
    headers: {
      ...headers,
      "Content-Type": rendering.contentType,
      // Browsers' PDF viewers fail under it (docs/decisions/http-and-errors.md).
      ...(isImage && { "Content-Security-Policy": "default-src 'none'; sandbox" }),
    },
    body: rendering.bytes,
  };
}

function renderingHeaders({ rendering, cache }: Capture): OutgoingHttpHeaders {
  const { etag, targetStatus, notes } = rendering;
  return {
    ETag: etag,
    ...(cache !== "bypass" && { [HEADERS.cache]: cache === "hit" ? "HIT" : "MISS" }),
    ...(targetStatus !== null && { [HEADERS.targetStatus]: targetStatus }),
    ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
  };
}
