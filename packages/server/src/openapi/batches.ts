import type { OpenAPIRegistry, ResponseConfig } from "@asteasolutions/zod-to-openapi";
import { BATCH_LIMITS, REQUEST_HEADERS, STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "@snap/protocol";
import type * as z from "zod";
import { deliveryAttempt, ownBatchSummary } from "../admin/schemas/batches.ts";
import { listOf } from "../admin/schemas/lists.ts";
import { listQuery } from "../requests/fields.ts";
import { CODES, errorResponses } from "./responses.ts";
import { batchSubmission, renderBatch, SUBMISSION_EXAMPLE } from "./batch-schemas.ts";
import { CREDIT_HEADERS, headerReferences } from "./headers.ts";
import { pathId, type OperationParameter } from "./parameters.ts";

const batchBody = { "application/json": { schema: renderBatch } };

/** Registers submission, polling and the completion webhook. */
export function registerBatches(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "post",
    path: "/renders",
    operationId: "submitBatch",
    tags: ["Batches"],
    summary: "Queue up to 20 captures",
    description:
      "Queues the captures and returns without waiting for them. A submission is accepted or rejected as a whole; `errors` names the invalid parameters, such as `items.2.quality`. Each item costs the same as a `GET /snap`, and counts against the same limits; an item over the render limit is retried, by default for up to 15 minutes. Submissions have a separate limit of 10 per minute.",
    security: [{ bearer: [] }],
    parameters: [IDEMPOTENCY_KEY],
    request: {
      body: {
        required: true,
        content: { "application/json": { schema: batchSubmission, example: SUBMISSION_EXAMPLE } },
      },
    },
    responses: {
      "202": {
        description:
          "The batch; every item is queued. For a repeated `Idempotency-Key`, the first submission's batch in its current state.",
        headers: headerReferences([...CREDIT_HEADERS, "Location"]),
        content: batchBody,
      },
      ...errorResponses(CODES.submit, { bearer: true, readsBody: true }),
    },
  });
  registry.registerPath({
    method: "get",
    path: "/renders/{id}",
    operationId: "getBatch",
    tags: ["Batches"],
    summary: "Poll a batch",
    description: "Costs nothing and is not rate limited.",
    security: [{ bearer: [] }],
    parameters: [ID],
    responses: {
      "200": {
        description: "The current state of the batch.",
        headers: headerReferences(CREDIT_HEADERS),
        content: batchBody,
      },
      ...errorResponses(CODES.poll, { bearer: true }),
    },
  });
  registerLists(registry);
  registry.registerWebhook({
    method: "post",
    path: "batch.complete",
    operationId: "onBatchComplete",
    tags: ["Batches"],
    summary: "A batch with a webhook is complete",
    description:
      "Can be delivered more than once, always with the same id; retried until the receiver acknowledges it with a 2xx, eight attempts by default. `X-Webhook-Signature` is the HMAC-SHA256, in lowercase hex, of `snap-webhook-v1`, a newline, the timestamp, a newline, and the body byte for byte, keyed with the signing secret of the token that submitted the batch. Verify it before decoding, compare in constant time, and reject a timestamp more than five minutes off. The three `webhook-` headers carry the same information in the format of the Standard Webhooks specification.",
    security: [],
    parameters: [...DELIVERY_HEADERS],
    request: { body: { required: true, content: batchBody } },
    responses: {
      "2XX": { description: "Acknowledged." },
      "410": { description: "The receiver no longer wants it: no further attempts." },
      default: {
        description: "Retried later, no sooner than `Retry-After` allows. Redirects are not followed.",
      },
    },
  });
}

const IDEMPOTENCY_KEY = {
  name: REQUEST_HEADERS.idempotencyKey,
  in: "header",
  required: false,
  description:
    "Makes it safe to send a submission again after a lost response: for 24 hours, or until the batch is deleted, the same items and `webhookUrl` with the same key return the batch that the first request queued. A different submission with the key fails with `idempotency_mismatch`. Belongs to the account; a failed submission does not use it up. Printable ASCII, such as a random UUID.",
  schema: {
    type: "string",
    minLength: 1,
    maxLength: BATCH_LIMITS.idempotencyKeyCharacters,
    pattern: "^[ -~]*$",
  },
  example: "0c1d7c0e-5b1f-4a53-9f0e-0a4f7f1d2b6e",
} as const satisfies OperationParameter;

const ID = pathId("Id of the batch.");

/** Registers the list of batches and the deliveries of their webhooks. */
function registerLists(registry: OpenAPIRegistry): void {
  registry.registerPath({
    method: "get",
    path: "/renders",
    operationId: "listBatches",
    tags: ["Batches"],
    summary: "List batches",
    description: "Your account's batches, newest first. Costs nothing and is not rate limited.",
    security: [{ bearer: [] }],
    request: { query: listQuery },
    responses: {
      "200": listResponse("A page of the list.", ownBatchSummary),
      ...errorResponses(CODES.list, { bearer: true }),
    },
  });
  registry.registerPath({
    method: "get",
    path: "/renders/{id}/deliveries",
    operationId: "listDeliveries",
    tags: ["Batches"],
    summary: "List the attempts to deliver a webhook",
    description:
      "The latest 100 attempts to deliver a batch's webhook, newest first, with the start of each response. Costs nothing and is not rate limited.",
    security: [{ bearer: [] }],
    parameters: [ID],
    request: { query: listQuery },
    responses: {
      "200": listResponse("A page of the attempts.", deliveryAttempt),
      ...errorResponses(CODES.list, { bearer: true }),
    },
  });
  registry.registerPath({
    method: "post",
    path: "/renders/{id}/deliveries",
    operationId: "resendWebhook",
    tags: ["Batches"],
    summary: "Send a webhook again",
    description:
      "Sends a complete batch's webhook again within seconds, with the same id and a new signature, even if it was delivered. The attempts start over if it was delivered or given up. Counts as a batch submission.",
    security: [{ bearer: [] }],
    parameters: [ID],
    responses: {
      "202": {
        description: "The batch; its webhook is due.",
        headers: headerReferences(CREDIT_HEADERS),
        content: batchBody,
      },
      ...errorResponses(CODES.resend, { bearer: true }),
    },
  });
}

function listResponse(description: string, entry: z.ZodType): ResponseConfig {
  return {
    description,
    headers: headerReferences(CREDIT_HEADERS),
    content: { "application/json": { schema: listOf(entry) } },
  };
}

const DELIVERY_HEADERS: readonly OperationParameter[] = [
  deliveryHeader(WEBHOOK_HEADERS.id, { description: "Id of the batch; the same for every attempt." }),
  deliveryHeader(WEBHOOK_HEADERS.timestamp, {
    description: "Unix seconds of this attempt, in decimal digits.",
    pattern: "^[0-9]+$",
  }),
  deliveryHeader(WEBHOOK_HEADERS.signature, {
    description: "Authenticates timestamp and body.",
    pattern: "^[0-9a-f]{64}$",
  }),
  deliveryHeader(STANDARD_WEBHOOK_HEADERS.id, { description: "Same as `X-Webhook-Id`." }),
  deliveryHeader(STANDARD_WEBHOOK_HEADERS.timestamp, { description: "Same as `X-Webhook-Timestamp`." }),
  deliveryHeader(STANDARD_WEBHOOK_HEADERS.signature, {
    description: "`v1,` and the Base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops.",
    pattern: "^v1,[A-Za-z0-9+/]{43}=$",
  }),
];

function deliveryHeader(
  name: string,
  { description, pattern }: { readonly description: string; readonly pattern?: string },
): OperationParameter {
  return {
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string", ...(pattern !== undefined && { pattern }) },
  };
}
