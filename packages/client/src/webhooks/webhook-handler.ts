import { BoundedBody, brokenOff, rawBodyNeeded } from "./raw-body.ts";
import { readSettings, type WebhookSecrets } from "./read-settings.ts";
import { receiveDelivery, type WebhookCallback, type WebhookReceiverOptions } from "./receive-delivery.ts";
import { isWebhookError } from "./webhook-error.ts";

/**
 * A handler of webhook deliveries for servers that speak web `Request` and `Response`: Bun, Deno, Hono,
 * Next.js route handlers, workers.
 *
 * It answers 204 when the callback is through, 400 to a delivery that can't be verified (a short JSON
 * says why), 405 to another method, 413 over 1 MiB, and 500 when the callback throws: then the service
 * delivers again later. Deliveries can come more than once: act on a `batch.id` once.
 *
 * @param secret The signing secret of the token that submits the batches, or several while it is rotated.
 * @throws WebhookError `misconfigured`, at once, when there is no secret.
 * @example
 * // Bun, Deno and workers
 * export default { fetch: webhookHandler(signingSecret, async (batch) => save(batch)) };
 * @example
 * // app/webhooks/snap/route.ts in Next.js
 * export const POST = webhookHandler(signingSecret, async (batch) => save(batch));
 */
export function webhookHandler(
  secret: WebhookSecrets,
  callback: WebhookCallback,
  options: WebhookReceiverOptions = {},
): (request: Request) => Promise<Response> {
  const { toleranceSeconds, onError } = options;
  const receiver = { settings: readSettings(secret, toleranceSeconds), callback, onError };
  return async (request) => {
    const { method, headers } = request;
    try {
      const answer = await receiveDelivery({ method, headers, readBody: () => readBody(request) }, receiver);
      return new Response(answer.body, answer);
    } catch (error) {
      // Nobody further up would see it.
      if (onError === undefined) console.error(error);
      return new Response(null, { status: 500 });
    }
  };
}

/** Leaving the loop cancels the rest of the body. */
async function readBody(request: Request): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked === true) throw rawBodyNeeded();
  const body = new BoundedBody();
  try {
    for await (const chunk of request.body ?? []) body.add(chunk);
  } catch (error) {
    throw isWebhookError(error) ? error : brokenOff(error);
  }
  return body.read();
}
