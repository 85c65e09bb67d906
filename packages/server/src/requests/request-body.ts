import { SnapError } from "@snap/engine";
import { unless } from "@snap/engine/internals";
import type { IncomingMessage } from "node:http";
import { HTTP_BOUNDS } from "./bounds.ts";

/**
 * Reads the body of a request, up to the bound of one.
 *
 * @throws SnapError `payload_too_large`, or `bad_request` when it breaks off; the connection should then be closed.
 */
async function readBody(request: IncomingMessage): Promise<Buffer> {
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
    await unless(AbortSignal.timeout(HTTP_BOUNDS.closeMs), sent).catch(() => {});
    throw tooLarge();
  }
  const bytes = await countBody(request, keep).catch((error: unknown) => {
    throw new SnapError("bad_request", "The request body ended early; send it again.", {
      detail: String(error),
    });
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
  return new SnapError("payload_too_large", `Request body too large (limit ${HTTP_BOUNDS.bodyBytes} bytes).`);
}

/** Parameters have no meaning for this type (RFC 8259, 11): text that isn't UTF-8 is found when it is decoded. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/**
 * Reads the JSON document that a request carries. A byte order mark is ignored, as RFC 8259, 8.1 allows:
 * common tools write one.
 *
 * @throws SnapError `validation_failed` with `errors.body` for what is no JSON, or isn't declared as it;
 * otherwise as `readBody` does.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  // Read whatever it is declared as: the connection goes on behind it.
  const bytes = await readBody(request);
  const { "content-type": type = "", "content-encoding": coding = "identity" } = request.headers;
  if (!JSON_TYPE.test(type)) throw refusal("must be sent with Content-Type: application/json");
  if (coding.toLowerCase() !== "identity") throw refusal("must be sent without a Content-Encoding");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // What the parser says would quote the body, which may hold what is secret, in the log.
    throw refusal("must be well-formed JSON in UTF-8");
  }
}

function refusal(fault: string): SnapError {
  return new SnapError("validation_failed", `The request body ${fault}`, { errors: { body: [fault] } });
}
