import { describe, expect, it } from "vitest";
import {
  BATCH_LIMITS,
  DOCUMENT_LIMITS,
  DOCUMENT_ORIGIN,
  DOCUMENT_TYPES,
  ERROR_CODES,
  HEADERS,
  LIMITS,
  STANDARD_WEBHOOK_HEADERS,
  WEBHOOK_HEADERS,
} from "../src/index.ts";

/* Published values never change, so every value is a literal here. */

const CODES = [
  ["unauthenticated", 401, false, undefined],
  ["no_active_plan", 402, false, undefined],
  ["credit_limit_reached", 402, false, undefined],
  ["email_unverified", 403, false, undefined],
  ["account_suspended", 403, false, undefined],
  ["forbidden", 403, false, undefined],
  ["missing_ability", 403, false, undefined],
  ["invalid_signature", 403, false, undefined],
  ["signed_url_expired", 403, false, undefined],
  ["not_found", 404, false, undefined],
  ["method_not_allowed", 405, false, undefined],
  ["api_moved", 410, false, undefined],
  ["validation_failed", 422, false, undefined],
  ["invalid_url", 422, false, undefined],
  ["blocked_host", 422, false, undefined],
  ["target_unreachable", 422, false, undefined],
  ["rate_limited", 429, true, undefined],
  ["render_failed", 500, true, undefined],
  ["server_error", 500, false, undefined],
  ["upstream_error", 502, true, 5],
  ["upstream_quota_exceeded", 502, true, 3600],
  ["upstream_rate_limited", 503, true, 2],
  ["render_timeout", 504, true, 10],
  ["bad_request", 400, false, undefined],
  ["request_timeout", 408, true, undefined],
  ["payload_too_large", 413, false, undefined],
  ["idempotency_mismatch", 422, false, undefined],
  ["script_failed", 422, false, undefined],
  ["store_failed", 502, true, 5],
  ["request_header_fields_too_large", 431, false, undefined],
  ["not_ready", 503, true, 2],
] as const;

describe("error codes", () => {
  it.each(CODES)("%s has the status %i and retry advice", (code, status, retryable, retryAfterSeconds) => {
    expect(ERROR_CODES[code]).toEqual({
      status,
      retryable,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  });

  it("are all listed here", () => {
    expect(Object.keys(ERROR_CODES).toSorted()).toEqual(CODES.map(([code]) => code).toSorted());
  });
});

it("limits have their published values", () => {
  expect(LIMITS).toEqual({
    rendersPerMinute: 20,
    cachedRequestsPerMinute: 300,
    usageReportsPerMinute: 60,
    urlCharacters: 2048,
    queryCharacters: 60_000,
    selectorCharacters: 512,
    selectorListCharacters: 2048,
    codeCharacters: 20_000,
    documentTextCharacters: 500,
    storeKeyCharacters: 512,
    objectKeyBytes: 900,
    objectKeySegmentBytes: 255,
    cacheTtlMinSeconds: 60,
    cacheTtlMaxSeconds: 2592000,
    cacheTtlDefaultSeconds: 86400,
    idleAfterLoadMaxMs: 10_000,
    webhookToleranceSeconds: 300,
  });
  expect(BATCH_LIMITS).toEqual({
    submissionsPerMinute: 10,
    items: 20,
    idempotencyKeyCharacters: 255,
    idempotencyKeyMs: 86400000,
    cacheTtlMinSeconds: 3600,
    retentionMs: 604800000,
    retryWindowMs: 900000,
  });
});

it("documents have their published limits, origin and content types", () => {
  expect(DOCUMENT_LIMITS).toEqual({
    uploadsPerMinute: 60,
    uploadBytes: 10485760,
    files: 500,
    unpackedBytes: 52428800,
    pathBytes: 255,
    ttlMinSeconds: 60,
    ttlMaxSeconds: 2592000,
    ttlDefaultSeconds: 86400,
    storedDocuments: 200,
    storedBytes: 524288000,
  });
  expect(DOCUMENT_ORIGIN).toBe("https://documents.snap.invalid");
  expect(Object.values(DOCUMENT_TYPES)).toEqual([
    "text/html",
    "text/markdown",
    "application/zip",
    "multipart/form-data",
  ]);
});

it("webhook headers have their published names", () => {
  expect(WEBHOOK_HEADERS).toEqual({
    id: "X-Webhook-Id",
    timestamp: "X-Webhook-Timestamp",
    signature: "X-Webhook-Signature",
  });
  expect(STANDARD_WEBHOOK_HEADERS).toEqual({
    id: "webhook-id",
    timestamp: "webhook-timestamp",
    signature: "webhook-signature",
  });
});

it("response headers have their published names", () => {
  expect(Object.values(HEADERS)).toEqual([
    "X-Request-Id",
    "X-Credits-Limit",
    "X-Credits-Remaining",
    "X-Credits-Reset",
    "X-Cache",
    "X-Target-Status",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "Retry-After",
    "X-Render-Notes",
    "X-Stored-Location",
  ]);
});
