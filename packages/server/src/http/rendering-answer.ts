import type { Capture } from "@snap/engine";
import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";
import type { Answer } from "./answer.ts";
import { budgetHeaders } from "./budget-headers.ts";

/** The answer that carries a rendering, or 304 when the client holds it already. */
export function renderingAnswer(capture: Capture): Answer {
  const { rendering, unchanged } = capture;
  const headers = renderingHeaders(capture);
  if (unchanged) return { status: 304, headers };
  const isImage = rendering.contentType !== "application/pdf";
  return {
    status: 200,
    headers: {
      ...headers,
      "Content-Type": rendering.contentType,
      // Browsers' PDF viewers fail under it (decisions.md).
      ...(isImage && { "Content-Security-Policy": "default-src 'none'; sandbox" }),
    },
    body: rendering.bytes,
  };
}

function renderingHeaders({ rendering, cache, budget }: Capture): OutgoingHttpHeaders {
  const { etag, targetStatus, notes } = rendering;
  return {
    ETag: etag,
    "Cache-Control": "private, no-cache",
    ...(cache !== "bypass" && { [HEADERS.cache]: cache === "hit" ? "HIT" : "MISS" }),
    ...(targetStatus !== null && { [HEADERS.targetStatus]: targetStatus }),
    ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
    ...budgetHeaders(budget),
  };
}
