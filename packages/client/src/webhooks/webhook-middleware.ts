import {
  BODY_LIMIT_BYTES,
  BoundedBody,
  brokenOff,
  isRawBody,
  type RawBody,
  rawBodyNeeded,
  toBytes,
} from "./raw-body.ts";
import { readSettings, type WebhookSecrets } from "./read-settings.ts";
import {
  type DeliveryAnswer,
  receiveDelivery,
  type WebhookCallback,
  type WebhookReceiverOptions,
} from "./receive-delivery.ts";

/** What is used of a request of Express or node:http. */
export interface WebhookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether something has read the body already. */
  readonly readableEnded: boolean;
  /** Whether the connection is gone. */
  readonly destroyed: boolean;
  readonly errored?: Error | null | undefined;
  readonly body?: unknown;
  resume(): unknown;
  destroy(): unknown;
  on(event: "data", listener: (chunk: RawBody) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** What is used of a response of Express or node:http. */
export interface WebhookResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

/**
 * A handler of webhook deliveries for Express 4 and 5, and anything else that calls `(request, response,
 * next)`. It reads the body by itself, so it belongs before `express.json()`; a body that `express.raw()`
 * or `express.text()` has read is used as well.
 *
 * It answers 204 when the callback is through, 400 to a delivery that can't be verified (a short JSON
 * says why), 405 to another method and 413 over 1 MiB. What the callback throws goes to `next`, so that
 * Express answers 500 and the service delivers again later; so does the mistake of a body that
 * was parsed before (`raw_body_needed`). Deliveries can come more than once: act on a `batch.id` once.
 *
 * @param secret The signing secret of the token that submits the batches, or several while it is rotated.
 * @throws WebhookError `misconfigured`, at once, when there is no secret.
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
  const receiver = { settings: readSettings(secret, toleranceSeconds), callback, onError };
  return async (request, response, next) => {
    const { method, headers } = request;
    try {
      send(response, await receiveDelivery({ method, headers, readBody: () => readBody(request) }, receiver));
    } catch (error) {
      next(error);
    }
  };
}

/** By whether the stream was read, not by `body` alone: Express 4 sets that to `{}` unread. */
async function readBody(request: WebhookRequest): Promise<RawBody> {
  if (isRawBody(request.body)) return request.body;
  if (request.readableEnded) throw rawBodyNeeded();
  return readStream(request);
}

/**
 * Past the bound the rest is dropped, and after as much again the connection: a sender that stops in
 * time gets to see the answer.
 */
async function readStream(request: WebhookRequest): Promise<Uint8Array> {
  // What has happened before is not told again.
  if (request.destroyed) throw brokenOff(request.errored);
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
    request.on("error", (cause) => reject(brokenOff(cause)));
    request.on("close", () => reject(brokenOff()));
    // Something before it may have paused the stream.
    request.resume();
  });
  return body.read();
}

function send(response: WebhookResponse, { status, headers, body }: DeliveryAnswer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body ?? undefined);
}
