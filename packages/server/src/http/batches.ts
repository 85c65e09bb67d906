import type { Engine } from "@snap/engine";
import { invalidParameter } from "@snap/engine/internals";
import { checkIdempotencyKey, REQUEST_HEADERS } from "@snap/protocol";
import type { Request } from "express";
import { toDeliveryAttempt, toOwnBatchSummary } from "../admin/json-bodies.ts";
import { toAdminList } from "../admin/lists.ts";
import { listQuery } from "../requests/fields.ts";
import { readJson } from "../requests/request-body.ts";
import { readQuery, requireNoQuery } from "../requests/read-input.ts";
import { rawQueryOf, segmentOf } from "../requests/request-target.ts";
import { json } from "../requests/response.ts";
import type { BearerEndpoint } from "./bearer.ts";

/** Index of the path segment that contains the id of a batch. */
const ID_SEGMENT = 3;

/** `POST /renders`. Only an authenticated caller can make the service hold a body in memory. */
export function submitBatch(engine: Engine, { baseUrl }: { readonly baseUrl: string }): BearerEndpoint {
  return async ({ request, principal }) => {
    requireNoQuery(rawQueryOf(request.url));
    const idempotencyKey = readIdempotencyKey(request);
    const document = await readJson(request);
    const batch = await engine.batches.submit({ principal, document, idempotencyKey });
    return json(batch, { status: 202, headers: { Location: `${baseUrl}/renders/${batch.id}` } });
  };
}

/** @throws SnapError `validation_failed` that names the header. */
function readIdempotencyKey({ headersDistinct }: Request): string | undefined {
  const [key, ...others] = headersDistinct[REQUEST_HEADERS.idempotencyKey.toLowerCase()] ?? [];
  if (others.length > 0) throw invalidParameter(REQUEST_HEADERS.idempotencyKey, "must be sent only once");
  const problem = key === undefined ? null : checkIdempotencyKey(key);
  if (problem !== null) throw invalidParameter(REQUEST_HEADERS.idempotencyKey, problem);
  return key;
}

/** `GET /renders`. */
export function listBatches(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) => {
    const { entries, more } = await engine.batches.list({
      principal,
      ...readQuery(listQuery, rawQueryOf(request.url)),
    });
    return json(toAdminList({ entries, hasMore: more > 0 }, toOwnBatchSummary));
  };
}

/** `GET /renders/{id}`. */
export function getBatch(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) =>
    json(await engine.batches.get({ principal, batchId: segmentOf(request.url, ID_SEGMENT) }));
}

/** `GET /renders/{id}/deliveries`. */
export function listDeliveries(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) => {
    const query = readQuery(listQuery, rawQueryOf(request.url));
    const batchId = segmentOf(request.url, ID_SEGMENT);
    return json(
      toAdminList(await engine.batches.attempts({ principal, batchId, ...query }), toDeliveryAttempt),
    );
  };
}

/** `POST /renders/{id}/deliveries`. */
export function resendWebhook(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) => {
    const batchId = segmentOf(request.url, ID_SEGMENT);
    return json(await engine.batches.resend({ principal, batchId }), { status: 202 });
  };
}
