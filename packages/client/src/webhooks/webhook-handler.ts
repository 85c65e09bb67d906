import { BoundedBody, incompleteBody, rawBodyNeeded } from "./raw-body.ts";
import { checkSettings, type WebhookSecrets } from "./check-settings.ts";
import { receiveDelivery, type WebhookCallback, type WebhookReceiverOptions } from "./receive-delivery.ts";
import { isWebhookError } from "./webhook-error.ts";

/**
 * Creates a webhook handler for servers with web `Request` and `Response`: Bun, Deno, Hono, Next.js route handlers,
 * edge runtimes.
 *
 * Responds with 204 when the callback resolves, 400 if verification fails (with the reason as JSON), 405 for another
 * method, 413 for a body over 1 MiB, and 500 when the callback throws or the body was already read; the
 * service then retries later. A delivery can arrive more than once: deduplicate by `batch.id`.
 *
 * @param secret The signing secret of the token that submits the batches, or several during a rotation.
 * @throws WebhookError `misconfigured` if the secret is missing or an option is out of range.
 * @example
 * // Bun, Deno and edge runtimes
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
  const receiver = { settings: checkSettings(secret, toleranceSeconds), callback, onError };
  return async (request) => {
    const { method, headers } = request;
    try {
      const { body, ...init } = await receiveDelivery(
        { method, headers, readBody: () => readBody(request) },
        receiver,
      );
      return new Response(body, init);
    } catch (error) {
      // nothing else would log it
      if (onError === undefined) console.error(error);
      return new Response(null, { status: 500 });
    }
  };
}

/** An error ends the loop, which cancels the rest of the body. */
async function readBody(request: Request): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked === true) throw rawBodyNeeded();
  const body = new BoundedBody();
  try {
    for await (const chunk of request.body ?? []) body.add(chunk);
  } catch (error) {
    throw isWebhookError(error) ? error : incompleteBody(error);
  }
  return body.read();
}
