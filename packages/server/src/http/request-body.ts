import { SnapError } from "@snap/engine";
import type { IncomingMessage } from "node:http";
import { HTTP_BOUNDS } from "./bounds.ts";

/**
 * Reads and drops the body of a request that has no use for one, so that the connection can go on.
 *
 * @throws SnapError `payload_too_large`; the connection should then be closed.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  const { "content-length": declared = "0", "transfer-encoding": coding } = request.headers;
  if (declared === "0" && coding === undefined) return;
  const bytes = await countBody(request).catch((error: unknown) => {
    throw new SnapError("bad_request", "The body of the request broke off.", { detail: String(error) });
  });
  if (bytes > HTTP_BOUNDS.bodyBytes)
    throw new SnapError("payload_too_large", `A body may hold at most ${HTTP_BOUNDS.bodyBytes} bytes.`);
}

async function countBody(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  // Leaving the loop must not destroy the request: the answer goes out on the same socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > HTTP_BOUNDS.discardedBytes) break;
  }
  return bytes;
}
