import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.ts";
import { openService } from "./service.ts";

const PAGE = { url: "https://example.com/" } as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("screenshot()", () => {
  it("reads the response headers", async () => {
    const service = await openService({ targetStatus: 404, notes: ["wait-capped", "lazy-images-capped"] });
    const snap = await service.client({ credits: 10, requestsPerMinute: 50 });
    const shot = await snap.screenshot(PAGE);
    expect(shot).toMatchObject({
      notModified: false,
      contentType: "image/png",
      cache: "miss",
      targetStatus: 404,
      notes: ["wait-capped", "lazy-images-capped"],
      credits: { limit: 10, remaining: 9, resetsAt: new Date("2026-04-01T12:00:00Z") },
      rateLimit: { limit: 50, remaining: 49 },
    });
    expect(shot.etag).toMatch(/^"[^"]+"$/);
    expect(shot.requestId).toMatch(UUID);
    expect(shot.bytes.subarray(1, 4)).toEqual(new Uint8Array([0x50, 0x4e, 0x47]));
  });

  it("reports a cache hit, miss and bypass", async () => {
    const snap = await (await openService()).client();
    const first = await snap.screenshot(PAGE);
    const second = await snap.screenshot(PAGE);
    const third = await snap.screenshot({ ...PAGE, cache: false });
    expect([first.cache, second.cache, third.cache]).toEqual(["miss", "hit", "bypass"]);
    expect(second.rateLimit).toEqual({ limit: 300, remaining: 299 });
    expect(second.bytes).toEqual(first.bytes);
  });

  it("returns a stream, or a Response with an unread body", async () => {
    const snap = await (await openService()).client();
    const { bytes } = await snap.screenshot(PAGE);
    const { stream } = await snap.screenshot(PAGE, { as: "stream" });
    const { response } = await snap.screenshot(PAGE, { as: "response" });
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes);
    expect(response.bodyUsed).toBe(false);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  it("returns NotModified for a matching ETag", async () => {
    const snap = await (await openService({ notes: ["blank"] })).client({ credits: 10 });
    const { etag } = await snap.screenshot(PAGE);
    const again = await snap.screenshot(PAGE, { ifNoneMatch: etag });
    expect(again).toMatchObject({
      notModified: true,
      etag,
      cache: "hit",
      targetStatus: 200,
      notes: ["blank"],
      credits: { limit: 10, remaining: 9 },
      rateLimit: null,
    });
    expect(again.requestId).toMatch(UUID);
    const other = await snap.screenshot({ ...PAGE, format: "webp" }, { ifNoneMatch: etag });
    expect(other.notModified).toBe(false);
    const unknown = await snap.screenshot(PAGE, { ifNoneMatch: null });
    expect(unknown.notModified).toBe(false);
  });

  it('returns metadata instead of the file with as: "json"', async () => {
    const service = await openService({ notes: ["blank"] });
    const snap = await service.client({ credits: 10 });
    const { json, ...result } = await snap.screenshot(PAGE, { as: "json" });
    expect(json).toMatchObject({
      content_type: "image/png",
      cache: "MISS",
      target_status: 200,
      credit_cost: 1,
      notes: ["blank"],
    });
    expect(result).toMatchObject({
      notModified: false,
      contentType: "image/png",
      cache: "miss",
      notes: ["blank"],
      credits: { limit: 10, remaining: 9 },
    });
    const file = await snap.screenshot(PAGE);
    expect([file.cache, file.etag]).toEqual(["hit", json.etag]);
    expect([result.etag, json.size]).toEqual([json.etag, file.bytes.byteLength]);
    const signed = await fetch(json.signed_url ?? "");
    expect(new Uint8Array(await signed.arrayBuffer())).toEqual(file.bytes);
    const content = await snap.pdf({ html: "<p>An invoice.</p>" }, { as: "json" });
    expect(content.json).toMatchObject({ content_type: "application/pdf", width: null, target_status: null });
    const long = { ...PAGE, css: "p{color:red}".repeat(1000) };
    expect((await snap.screenshot(long, { as: "json" })).json.cache).toBe("MISS");
  });

  it("rejects an unknown value of `as` without a request", async () => {
    const service = await openService();
    const snap = await service.client();
    expect(await failureOf(snap.screenshot(PAGE, { as: "text" as "bytes" }))).toMatchObject({
      code: "misconfigured",
      message: "as must be one of bytes, stream, response, json.",
    });
    expect(service.renderer.calls).toHaveLength(0);
  });
});

describe("pdf()", () => {
  it("renders a PDF, which has no target status", async () => {
    const snap = await (await openService()).client();
    const pdf = await snap.pdf({ ...PAGE, paperFormat: "letter" });
    expect(pdf).toMatchObject({ contentType: "application/pdf", targetStatus: null });
    expect(new TextDecoder().decode(pdf.bytes.subarray(0, 5))).toBe("%PDF-");
  });
});

describe("usage()", () => {
  it("returns the report unchanged", async () => {
    const snap = await (await openService()).client({ credits: 10, requestsPerMinute: 50 });
    await snap.screenshot(PAGE);
    expect(await snap.usage()).toEqual({
      credits: { remaining: 9, used: 1, total: 10 },
      plan: { name: "Starter", slug: "starter" },
      period: { started_at: "2026-03-01T12:00:00.000Z", resets_at: "2026-04-01T12:00:00.000Z" },
      rate_limit: { requests_per_minute: 50, cached_requests_per_minute: 300 },
    });
  });
});
