import { SnapError } from "@snap/engine";
import type { UsageReport } from "@snap/protocol";
import { describe, expect, it } from "vitest";
import { envelopeOf, openService, RESET_SECONDS, signedQuery, UUID, type Reply } from "./open-service.ts";

/*
 * Which responses have which headers, as docs/reference/specification.md defines them. Names and values are literals.
 */

const url = "https://example.com/";

/** Checks the headers that are the same in every response, and returns the other specified ones. */
function headersOf({ headers }: Reply): Record<string, string | undefined> {
  expect(headers["x-request-id"]).toMatch(UUID);
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["x-powered-by"]).toBeUndefined();
  const names = [
    "x-credits-limit",
    "x-credits-remaining",
    "x-credits-reset",
    "x-cache",
    "etag",
    "x-target-status",
    "x-render-notes",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "retry-after",
    "cache-control",
    "content-type",
  ];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

const json = "application/json; charset=utf-8";
const error = { "cache-control": "no-store", "content-type": json };
const credits = (remaining: number, limit = 1000): Record<string, string> => ({
  "x-credits-limit": String(limit),
  "x-credits-remaining": String(remaining),
  "x-credits-reset": RESET_SECONDS,
});
const rateLimit = (limit: number, remaining: number): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
});
const etag = expect.stringMatching(/^"[0-9a-f]{64}"$/);
const image = {
  etag,
  "cache-control": "private, no-cache",
  "content-type": "image/png",
  "x-target-status": "200",
};

describe("a rendering", () => {
  it("is a MISS, then a HIT; with cache=0, it is neither", async () => {
    const { customer, snap } = await openService();
    const { token } = await customer();
    const miss = await snap({ url }, { token });
    expect(miss.status).toBe(200);
    expect(headersOf(miss)).toEqual({
      ...image,
      ...credits(999),
      ...rateLimit(1000, 999),
      "x-cache": "MISS",
    });
    const hit = await snap({ url }, { token });
    expect(hit.status).toBe(200);
    expect(headersOf(hit)).toEqual({ ...image, ...credits(999), ...rateLimit(300, 299), "x-cache": "HIT" });
    expect(hit.body.equals(miss.body)).toBe(true);
    expect(hit.headers.etag).toBe(miss.headers.etag);
    const bypass = await snap({ url, cache: "0" }, { token });
    expect(bypass.status).toBe(200);
    expect(headersOf(bypass)).toEqual({ ...image, ...credits(998), ...rateLimit(1000, 998) });
  });

  it("as a 304 is free on a hit, and otherwise costs a credit and has rate-limit headers", async () => {
    const { customer, snap } = await openService();
    const { token } = await customer();
    const { headers } = await snap({ url }, { token });
    const held = { token, headers: { "If-None-Match": String(headers.etag) } };
    const unchanged = { etag, "cache-control": "private, no-cache", "x-target-status": "200" };
    const free = await snap({ url }, held);
    expect(free.status).toBe(304);
    expect(free.body).toHaveLength(0);
    expect(headersOf(free)).toEqual({ ...unchanged, ...credits(999), "x-cache": "HIT" });
    const bypass = await snap({ url, cache: "0" }, held);
    expect(bypass.status).toBe(304);
    expect(headersOf(bypass)).toEqual({ ...unchanged, ...credits(998), ...rateLimit(1000, 998) });
    // with another cacheTtl, the same image is another cache entry
    const miss = await snap({ url, cacheTtl: "60" }, held);
    expect(miss.status).toBe(304);
    expect(headersOf(miss)).toEqual({
      ...unchanged,
      ...credits(997),
      ...rateLimit(1000, 997),
      "x-cache": "MISS",
    });
  });

  it.each([
    [{ format: "png" }, "image/png", "default-src 'none'; sandbox", "200"],
    [{ format: "jpeg" }, "image/jpeg", "default-src 'none'; sandbox", "200"],
    [{ format: "webp" }, "image/webp", "default-src 'none'; sandbox", "200"],
    [{ pdf: "true" }, "application/pdf", undefined, undefined],
  ])("of %o has type %s", async (query, type, policy, targetStatus) => {
    const { customer, snap } = await openService();
    const { token } = await customer();
    const { status, headers, body } = await snap({ url, ...query }, { token });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe(type);
    expect(headers["content-length"]).toBe(String(body.length));
    expect(headers["content-security-policy"]).toBe(policy);
    expect(headers["x-target-status"]).toBe(targetStatus);
  });

  it("of a page that returned 404 has status 200, with notes", async () => {
    const { customer, snap } = await openService({ renderer: { targetStatus: 404, notes: ["wait-capped"] } });
    const { token } = await customer();
    for (const cache of ["MISS", "HIT"]) {
      const { status, headers } = await snap({ url }, { token });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "x-target-status": "404",
        "x-render-notes": "wait-capped",
        "x-cache": cache,
      });
    }
  });

  it("is charged and cached for HEAD as for GET, but not sent", async () => {
    const { customer, snap, renderer } = await openService();
    const { token } = await customer();
    const head = await snap({ url }, { token, method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(headersOf(head)).toEqual({
      ...image,
      ...credits(999),
      ...rateLimit(1000, 999),
      "x-cache": "MISS",
    });
    const get = await snap({ url }, { token });
    expect(get.headers["x-cache"]).toBe("HIT");
    expect(head.headers["content-length"]).toBe(String(get.body.length));
    expect(renderer.calls).toHaveLength(1);
    const refused = await snap({ url: "nonsense" }, { token, method: "HEAD" });
    expect(refused.status).toBe(422);
    expect(refused.body).toHaveLength(0);
    expect(Number(refused.headers["content-length"])).toBeGreaterThan(50);
  });
});

describe("an error", () => {
  it("401 has no credit headers", async () => {
    const { snap, send, customer } = await openService();
    const { token } = await customer();
    for (const headers of [
      {},
      { Authorization: "Bearer" },
      { Authorization: `Bearer ${token}x` },
      { Authorization: `Basic ${token}` },
      { Authorization: "Bearer 1|a b" },
      { Authorization: "Bearer 99999999999999999999|x" },
    ] as Record<string, string>[]) {
      for (const reply of [await snap({ url }, { headers }), await send("/v1/usage", { headers })]) {
        expect(reply.status).toBe(401);
        expect(envelopeOf(reply).code).toBe("unauthenticated");
        expect(headersOf(reply)).toEqual(error);
        expect(reply.headers["www-authenticate"]).toBe('Bearer realm="snap"');
      }
    }
    expect((await snap({ url }, { headers: { Authorization: `bEARER ${token}` } })).status).toBe(200);
  });

  it("402 without a plan has no X-Credits-Reset", async () => {
    const { snap, customer } = await openService();
    const { token } = await customer({ planSlug: null });
    const reply = await snap({ url }, { token });
    expect(reply.status).toBe(402);
    expect(envelopeOf(reply).code).toBe("no_active_plan");
    expect(headersOf(reply)).toEqual({ ...error, "x-credits-limit": "0", "x-credits-remaining": "0" });
  });

  it("402 without credits", async () => {
    const { snap, customer } = await openService();
    const { token } = await customer({ credits: 0 });
    const reply = await snap({ url }, { token });
    expect(reply.status).toBe(402);
    expect(envelopeOf(reply).code).toBe("credit_limit_reached");
    expect(headersOf(reply)).toEqual({ ...error, ...credits(0, 0) });
  });

  it.each([
    ["email_unverified", { verified: false }],
    ["missing_ability", { abilities: ["pdf"] as const }],
  ])("403 %s", async (code, options) => {
    const { snap, customer } = await openService();
    const { token } = await customer(options);
    const reply = await snap({ url }, { token });
    expect(reply.status).toBe(403);
    expect(envelopeOf(reply).code).toBe(code);
    expect(headersOf(reply)).toEqual({ ...error, ...credits(1000) });
  });

  it.each([
    ["validation_failed", { url, width: "10" }],
    ["invalid_url", {}],
    ["blocked_host", { url: "http://127.0.0.1/" }],
    ["blocked_host", { url: "http://inside.example.com/" }],
    ["target_unreachable", { url: "http://unknown.example.com/" }],
  ])("422 %s: %o", async (code, query) => {
    const { snap, customer } = await openService();
    const { token } = await customer();
    const reply = await snap(query, { token });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).code).toBe(code);
    expect(headersOf(reply)).toEqual({ ...error, ...credits(1000) });
  });

  it("502 upstream_error, refunded, if name resolution fails", async () => {
    const { snap, customer } = await openService();
    const { token } = await customer();
    const reply = await snap({ url: "http://down.example.com/" }, { token });
    expect(reply.status).toBe(502);
    expect(envelopeOf(reply)).toMatchObject({
      code: "upstream_error",
      message: "Name resolution failed for the page's host. Retry shortly.",
    });
    expect(headersOf(reply)).toEqual({ ...error, ...credits(1000), "retry-after": "5" });
  });

  it("429 has the headers of the exceeded limit", async () => {
    const { snap, send, customer, clock } = await openService();
    const { token } = await customer({ requestsPerMinute: 1 });
    await snap({ url }, { token });
    clock.advance(20_500);
    const render = await snap({ url, cache: "0" }, { token });
    expect(render.status).toBe(429);
    expect(envelopeOf(render).code).toBe("rate_limited");
    expect(headersOf(render)).toEqual({ ...error, ...credits(999), ...rateLimit(1, 0), "retry-after": "40" });

    await Promise.all(Array.from({ length: 300 }, () => snap({ url }, { token })));
    const cached = await snap({ url }, { token });
    expect(cached.status).toBe(429);
    expect(headersOf(cached)).toEqual({
      ...error,
      ...credits(999),
      ...rateLimit(300, 0),
      "retry-after": "60",
    });

    await Promise.all(Array.from({ length: 60 }, () => send("/v1/usage", { token })));
    const usage = await send("/v1/usage", { token });
    expect(usage.status).toBe(429);
    expect(headersOf(usage)).toEqual({ ...error, ...credits(999), ...rateLimit(60, 0), "retry-after": "60" });
  });

  it.each([
    ["render_failed", 500, undefined],
    ["server_error", 500, undefined],
    ["upstream_error", 502, "5"],
    ["upstream_quota_exceeded", 502, "3600"],
    ["upstream_rate_limited", 503, "2"],
    ["render_timeout", 504, "10"],
  ] as const)("%s is %i, refunded", async (code, status, retryAfter) => {
    const { snap, customer, renderer } = await openService();
    const { token } = await customer();
    renderer.failNext(new SnapError(code, "for the caller", { detail: "for the log" }));
    const reply = await snap({ url }, { token });
    expect(reply.status).toBe(status);
    const { request_id, ...rest } = envelopeOf(reply);
    expect(rest).toEqual({ code, message: "for the caller" });
    expect(request_id).toBe(reply.headers["x-request-id"]);
    expect(headersOf(reply)).toEqual({
      ...error,
      ...credits(1000),
      ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    });
  });

  it.each(["/v1/snap", "/v1/snap/signed"])("has the notes of the failed render: %s", async (path) => {
    const { send, customer, renderer } = await openService();
    const { token, tokenId, signingSecret } = await customer();
    renderer.failNext(new SnapError("render_failed", "too large", { notes: ["capture-too-large"] }));
    const query = path.endsWith("signed") ? signedQuery({ url, tokenId }, signingSecret) : `url=${url}`;
    const reply = await send(`${path}?${query}`, { token });
    expect([reply.status, reply.headers["x-render-notes"]]).toEqual([500, "capture-too-large"]);
  });

  it("hides an unexpected exception from the caller, and logs it", async () => {
    const { snap, customer, renderer, lines } = await openService();
    const { token } = await customer();
    renderer.failNext(new TypeError("internal secret") as unknown as SnapError);
    const reply = await snap({ url }, { token });
    expect(reply.status).toBe(500);
    expect(envelopeOf(reply).code).toBe("server_error");
    expect(reply.body.toString()).not.toContain("internal secret");
    expect(headersOf(reply)).toEqual({ ...error, ...credits(1000) });
    const line = lines.find((candidate) => candidate["request_id"] === reply.headers["x-request-id"]);
    expect(JSON.stringify(line)).toContain("internal secret");
  });
});

describe("the usage report", () => {
  it.each([
    ["an account with a plan", {}, credits(1000)],
    ["an account without a plan", { planSlug: null }, { "x-credits-limit": "0", "x-credits-remaining": "0" }],
    ["an account without credits", { credits: 0 }, credits(0, 0)],
    ["an account with an unverified address", { verified: false }, credits(1000)],
  ])("of %s has credit headers and no rate-limit headers", async (_name, options, expected) => {
    const { send, customer } = await openService();
    const { token } = await customer(options);
    const reply = await send("/v1/usage", { token });
    expect(reply.status).toBe(200);
    expect(headersOf(reply)).toEqual({ "cache-control": "no-store", "content-type": json, ...expected });
  });

  it("has the credits, the plan, the period and the limits", async () => {
    const { send, snap, customer } = await openService();
    const { token } = await customer({ requestsPerMinute: 20 });
    await snap({ url }, { token });
    const { body } = await send("/v1/usage", { token });
    expect(JSON.parse(body.toString())).toEqual({
      credits: { remaining: 999, used: 1, total: 1000 },
      plan: { name: "Starter", slug: "starter" },
      period: { started_at: "2026-03-01T12:00:00.000Z", resets_at: "2026-04-01T12:00:00.000Z" },
      rate_limit: { requests_per_minute: 20, cached_requests_per_minute: 300 },
    });
  });
});

it("X-Credits-Reset and resets_at are the same second, at which credits have been granted", async () => {
  const { send, snap, customer, clock } = await openService({
    startMs: Date.parse("2026-03-01T12:00:00.001Z"),
  });
  const { token } = await customer({ credits: 1 });
  expect((await snap({ url }, { token })).status).toBe(200);
  const { headers, body } = await send("/v1/usage", { token });
  const { period } = JSON.parse(body.toString()) as UsageReport;
  expect(period?.resets_at).toBe("2026-04-01T12:00:01.000Z");
  expect(Number(headers["x-credits-reset"])).toBe(Date.parse(period?.resets_at ?? "") / 1000);
  clock.set(Number(headers["x-credits-reset"]) * 1000);
  const next = await snap({ url: `${url}next` }, { token });
  expect([next.status, next.headers["x-credits-remaining"]]).toEqual([200, "0"]);
});

it("ignores a request id from the client", async () => {
  const { send } = await openService();
  const sent = "11111111-1111-4111-8111-111111111111";
  const { headers } = await send("/healthz", { headers: { "X-Request-Id": sent } });
  expect(headers["x-request-id"]).toMatch(UUID);
  expect(headers["x-request-id"]).not.toBe(sent);
});
