import type { RenderBatch } from "@snap/protocol";
import { expect } from "vitest";
import { jsonOf, type RequestOptions, type Reply, type TestService } from "./open-service.ts";

/** `POST /v1/renders` with a JSON document. */
export function submit(
  { send }: TestService,
  document: unknown,
  { headers, ...options }: RequestOptions = {},
): Promise<Reply> {
  return send("/v1/renders", {
    method: "POST",
    body: JSON.stringify(document),
    ...options,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

/** The batch's JSON document in a response. */
export function batchOf(reply: Reply): RenderBatch {
  return jsonOf(reply) as RenderBatch;
}

/** What a response contains for a queued item. */
export function queuedItem(url: string): Record<string, unknown> {
  return {
    id: expect.stringMatching(/^item_[0-9a-f]{24}$/),
    url,
    status: "queued",
    error: null,
    etag: null,
    target_status: null,
    expires_at: null,
    signed_url: null,
    credit_cost: null,
  };
}

/**
 * Returns 100 minus the requests counted in the current minute, whatever the account's limit is.
 * The call then counts as a request, too.
 */
export async function remainingRequests(
  { storage, clock }: TestService,
  { accountId, name }: { readonly accountId: string; readonly name: "render" | "cached" | "submission" },
): Promise<number> {
  const request = { accountId, name, limit: 101, windowMs: 60_000, now: clock.now() };
  return (await storage.rateLimiter.consume(request)).remaining;
}
