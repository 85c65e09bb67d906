import type { Capture } from "@snap/engine";
import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";
import { fileHeaders } from "../requests/file-headers.ts";
import { cacheStatus } from "../requests/rendering-facts.ts";
import type { HttpResponse } from "../requests/response.ts";

/**
 * The response with a rendering, or 304 if the client already has it.
 *
 * @param extraHeaders - Headers of the endpoint: caching and rate limits.
 */
export function renderingResponse(capture: Capture, extraHeaders: OutgoingHttpHeaders): HttpResponse {
  const { rendering, unchanged } = capture;
  const headers = { ETag: rendering.etag, ...factHeaders(capture), ...extraHeaders };
  if (unchanged) return { status: 304, headers };
  return { status: 200, headers: { ...headers, ...fileHeaders(rendering) }, body: rendering.bytes };
}

/** Headers with the metadata of a capture. */
export function factHeaders({ rendering, cache, storedLocation }: Capture): OutgoingHttpHeaders {
  const { targetStatus, notes } = rendering;
  const cacheState = cacheStatus(cache);
  return {
    ...(cacheState !== null && { [HEADERS.cache]: cacheState }),
    ...(targetStatus !== null && { [HEADERS.targetStatus]: targetStatus }),
    ...(storedLocation !== null && { [HEADERS.storedLocation]: storedLocation }),
    ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
  };
}
