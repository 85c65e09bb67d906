import { SnapError } from "@snap/engine";
import { abortable } from "@snap/engine/internals";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { BodyMemory } from "./body-budget.ts";
import { hasMoreValuesThan } from "./json-values.ts";
import { HTTP_LIMITS } from "./limits.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  /** Not limited by default. */
  readonly memory?: BodyMemory;
}

/**
 * Reads the body of a request, up to the limit.
 *
 * @throws SnapError `payload_too_large`, or `bad_request` if it ends early; the connection must then be closed.
 * `upstream_rate_limited` if there is not enough memory left. Error if a parser of another app has read it.
 */
export async function readBody(request: IncomingMessage, { maxBytes, memory }: BodyLimits): Promise<Buffer> {
  // it would look empty, and the caller would be blamed
  if (hasBody(request) && request.readableEnded)
    throw new Error(
      "the request body has already been read; mount createApp before body parsers such as express.json()",
    );
  const declaredBytes = Number(request.headers["content-length"] ?? maxBytes);
  const body = new BodyBuffer(Math.min(declaredBytes, maxBytes), memory);
  await receiveBody(request, { maxBytes, onChunk: (chunk) => body.add(chunk) });
  const bytes = body.read();
  if (bytes === null)
    throw new SnapError(
      "upstream_rate_limited",
      "Too much content is waiting to be processed. Retry shortly.",
    );
  return bytes;
}

const INITIAL_BUFFER_BYTES = 16_384;

/**
 * Collects the chunks of a body in one buffer: separately, each would take hundreds of bytes more. The buffer doubles, so
 * small chunks take linear time.
 */
class BodyBuffer {
  readonly #maxBytes: number;
  readonly #memory: BodyMemory | undefined;
  /** `null` once there is not enough memory left. */
  #buffer: Buffer | null = Buffer.alloc(0);
  #receivedBytes = 0;

  constructor(maxBytes: number, memory: BodyMemory | undefined) {
    this.#maxBytes = maxBytes;
    this.#memory = memory;
  }

  add(chunk: Buffer): void {
    const start = this.#receivedBytes;
    this.#receivedBytes += chunk.length;
    if (this.#buffer !== null && this.#receivedBytes > this.#buffer.length)
      this.#buffer = this.#grow(this.#buffer);
    this.#buffer?.set(chunk, start);
  }

  /** Returns `null` if there was not enough memory. */
  read(): Buffer | null {
    return this.#buffer?.subarray(0, this.#receivedBytes) ?? null;
  }

  #grow(buffer: Buffer): Buffer | null {
    const doubled = Math.min(Math.max(INITIAL_BUFFER_BYTES, 2 * buffer.length), this.#maxBytes);
    const length = Math.max(doubled, this.#receivedBytes);
    if (this.#memory?.take(length - buffer.length) === false) return null;
    const larger = Buffer.alloc(length);
    larger.set(buffer);
    return larger;
  }
}

/**
 * Reads and discards the body of a request that needs none, so the connection can be reused.
 *
 * @throws SnapError `payload_too_large` or `bad_request`, like `readBody`.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return receiveBody(request, { maxBytes: HTTP_LIMITS.bodyBytes, onChunk: () => {} });
}

/** A request with neither `Content-Length` nor `Transfer-Encoding` has no body (RFC 9112, 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": declared = "0", "transfer-encoding": coding } = headers;
  return declared !== "0" || coding !== undefined;
}

interface ReceiveOptions {
  readonly maxBytes: number;
  readonly onChunk: (chunk: Buffer) => void;
}

/** Requests whose declared length is too large. Each body is awaited once, although the error handler discards it too. */
const awaited = new WeakSet<IncomingMessage>();

async function receiveBody(request: IncomingMessage, { maxBytes, onChunk }: ReceiveOptions): Promise<void> {
  if (!hasBody(request)) return;
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    if (!awaited.has(request)) await awaitBody(request, maxBytes);
    throw tooLarge(maxBytes);
  }
  const bytes = await countBody(request, { maxBytes, onChunk }).catch((error: unknown) => {
    throw new SnapError("bad_request", "The request body ended early; send it again.", {
      detail: String(error),
    });
  });
  if (bytes > maxBytes) throw tooLarge(maxBytes);
}

/**
 * A client that sends before it reads must be able to finish, or a reset destroys the response. A client that waits for
 * the response gets it after a moment.
 */
async function awaitBody(request: IncomingMessage, maxBytes: number): Promise<void> {
  awaited.add(request);
  const sent = countBody(request, { maxBytes, onChunk: () => {} }).catch(() => {});
  await abortable(AbortSignal.timeout(HTTP_LIMITS.closeMs), sent).catch(() => {});
}

async function countBody(request: IncomingMessage, { maxBytes, onChunk }: ReceiveOptions): Promise<number> {
  let bytes = 0;
  // Leaving the loop must not destroy the request: the response uses the same socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBytes) onChunk(chunk as Buffer);
    if (bytes > Math.max(maxBytes, HTTP_LIMITS.discardedBytes)) break;
  }
  return bytes;
}

function tooLarge(maxBytes: number): SnapError {
  return new SnapError("payload_too_large", `Request body too large (limit ${maxBytes} bytes).`);
}

/** Parameters have no meaning for this type (RFC 8259, 11); decoding detects text that is not UTF-8. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/**
 * Reads the JSON body of a request. Ignores a byte order mark, as RFC 8259, 8.1 allows, because common tools write
 * one.
 *
 * @param limits - At most 256 KiB by default.
 * @throws SnapError `validation_failed` with `errors.body` if the body is not JSON, is not declared
 * as JSON, is compressed, or has too many values; otherwise like `readBody`.
 */
export async function readJson(
  request: IncomingMessage,
  limits: BodyLimits = { maxBytes: HTTP_LIMITS.bodyBytes },
): Promise<unknown> {
  // Read it even if its type is wrong, so the connection can be reused.
  const bytes = await readBody(request, limits);
  const { "content-type": type = "" } = request.headers;
  if (!JSON_TYPE.test(type)) throw invalidBody("must be sent with Content-Type: application/json");
  requireUncompressed(request.headers);
  if (hasMoreValuesThan(bytes, HTTP_LIMITS.jsonValues))
    throw invalidBody(`must contain at most ${HTTP_LIMITS.jsonValues} values`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The message of the parser quotes the body, which may contain secrets, so it must not reach the log.
    throw invalidBody("must be well-formed JSON in UTF-8");
  }
}

/** @throws SnapError `validation_failed` for a body that is compressed. */
export function requireUncompressed({ "content-encoding": coding = "identity" }: IncomingHttpHeaders): void {
  if (coding.toLowerCase() !== "identity") throw invalidBody("must be sent without a Content-Encoding");
}

export function invalidBody(problem: string): SnapError {
  return new SnapError("validation_failed", `The request body ${problem}`, { errors: { body: [problem] } });
}
