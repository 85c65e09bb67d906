import {
  BODY_LIMIT_BYTES,
  BoundedBody,
  incompleteBody,
  isRawBody,
  type RawBody,
  rawBodyNeeded,
  toBytes,
} from "./raw-body.ts";
import { checkSettings, type WebhookSecrets } from "./check-settings.ts";
import {
  type DeliveryResponse,
  receiveDelivery,
  type WebhookCallback,
  type WebhookReceiverOptions,
} from "./receive-delivery.ts";

/** The members of an Express or node:http request that the middleware uses. */
export interface WebhookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the body was already read. */
  readonly readableEnded: boolean;
  /** Whether the stream is destroyed, for example because the connection closed. */
  readonly destroyed: boolean;
  readonly errored?: Error | null | undefined;
  readonly body?: unknown;
  resume(): unknown;
  destroy(): unknown;
  on(event: "data", listener: (chunk: RawBody) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** The members of an Express or node:http response that the middleware uses. */
export interface WebhookResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

/**
 * Creates a webhook handler for Express 4 and 5, and anything else that calls `(request, response, next)`. It reads the
 * body itself, so put it before `express.json()`; it also accepts a body from `express.raw()` or `express.text()`.
 *
 * Responds with 204 when the callback resolves, 400 if verification fails (with the reason as JSON), 405 for another
 * method and 413 for a body over 1 MiB. Passes errors from the callback to `next`: Express then responds with 500, and
 * the service retries later. Does the same with `raw_body_needed`, if the body was already parsed. A delivery can
 * arrive more than once: deduplicate by `batch.id`.
 *
 * @param secret The signing secret of the token that submits the batches, or several during a rotation.
 * @throws WebhookError `misconfigured` if the secret is missing or an option is out of range.
 * @example
 * app.post("/webhooks/snap", webhookMiddleware(signingSecret, async (batch) => save(batch)));
 * app.use(express.json());
 */
export function webhookMiddleware(
  secret: WebhookSecrets,
  callback: WebhookCallback,
  options: WebhookReceiverOptions = {},
): (request: WebhookRequest, response: WebhookResponse, next: (error?: unknown) => void) => Promise<void> {
  const { toleranceSeconds, onError } = options;
  const receiver = { settings: checkSettings(secret, toleranceSeconds), callback, onError };
  return async (request, response, next) => {
    const { method, headers } = request;
    try {
      send(response, await receiveDelivery({ method, headers, readBody: () => readBody(request) }, receiver));
    } catch (error) {
      next(error);
    }
  };
}

/** Checks whether the stream was read, not only `body`: Express 4 sets `body` to `{}` without reading it. */
async function readBody(request: WebhookRequest): Promise<RawBody> {
  if (isRawBody(request.body)) return request.body;
  if (request.readableEnded) throw rawBodyNeeded();
  return readStream(request);
}

/**
 * Discards everything past the limit. Closes the connection only after another 1 MiB, so a sender that stops in time
 * still receives the response.
 */
async function readStream(request: WebhookRequest): Promise<Uint8Array> {
  // a stream does not repeat past events
  if (request.destroyed) throw incompleteBody(request.errored);
  const body = new BoundedBody();
  let surplusBytes = 0;
  await new Promise<void>((resolve, reject) => {
    request.on("data", (chunk) => {
      try {
        body.add(chunk);
      } catch (error) {
        reject(error);
        surplusBytes += toBytes(chunk).byteLength;
        if (surplusBytes > BODY_LIMIT_BYTES) request.destroy();
      }
    });
    request.on("end", resolve);
    request.on("error", (cause) => reject(incompleteBody(cause)));
    request.on("close", () => reject(incompleteBody()));
    // other middleware may have paused the stream
    request.resume();
  });
  return body.read();
}

function send(response: WebhookResponse, { status, headers, body }: DeliveryResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body ?? undefined);
}
