import { SnapError } from "@snap/engine";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { HTTP_BOUNDS } from "./bounds.ts";

/**
 * Reads the body of a request, up to the bound of one.
 *
 * @throws SnapError `payload_too_large`, or `bad_request` when it breaks off; the connection should then be closed.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await receiveBody(request, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/**
 * Reads and drops the body of a request that has no use for one, so that the connection can go on.
 *
 * @throws SnapError as `readBody` does.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return receiveBody(request, () => {});
}

/** RFC 9112, 6: a request without either of these has none. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": declared = "0", "transfer-encoding": coding } = headers;
  return declared !== "0" || coding !== undefined;
}

async function receiveBody(request: IncomingMessage, keep: (chunk: Buffer) => void): Promise<void> {
  if (!hasBody(request)) return;
  if (Number(request.headers["content-length"] ?? 0) > HTTP_BOUNDS.bodyBytes) {
    // Who sends before reading must get through with it: a reset would take the answer away. Who waits
    // for the answer isn't kept waiting.
    const sent = countBody(request, () => {}).catch(() => {});
    await Promise.race([sent, setTimeout(HTTP_BOUNDS.closeMs, undefined, { ref: false })]);
    throw tooLarge();
  }
  const bytes = await countBody(request, keep).catch((error: unknown) => {
    throw new SnapError("bad_request", "The body of the request broke off.", { detail: String(error) });
  });
  if (bytes > HTTP_BOUNDS.bodyBytes) throw tooLarge();
}

async function countBody(request: IncomingMessage, keep: (chunk: Buffer) => void): Promise<number> {
  let bytes = 0;
  // Leaving the loop must not destroy the request: the answer goes out on the same socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes <= HTTP_BOUNDS.bodyBytes) keep(chunk as Buffer);
    if (bytes > HTTP_BOUNDS.discardedBytes) break;
  }
  return bytes;
}

function tooLarge(): SnapError {
  return new SnapError("payload_too_large", `A body may hold at most ${HTTP_BOUNDS.bodyBytes} bytes.`);
}
