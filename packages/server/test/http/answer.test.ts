import { createMemoryStorage } from "@snap/testing";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../mcp/clients.ts";
import { submit } from "./batches.ts";
import { envelopeOf, jsonOf, openService, signedQuery, type Reply } from "./open-service.ts";

const url = "https://example.com/";
const MESSAGE = "is only for GET /snap and POST /captures, where it must be file or json";

function metadataOf(reply: Reply): Record<string, unknown> {
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  return jsonOf(reply) as Record<string, unknown>;
}

describe("answer=json", () => {
  it("returns the rendering's metadata, with a link that returns the file", async () => {
    const service = await openService({ renderer: { notes: ["wait-capped"] } });
    const { token } = await service.customer({ credits: 10 });
    const reply = await service.snap({ url, answer: "json" }, { token });
    const file = await service.snap({ url }, { token });
    const document = metadataOf(reply);
    expect(document).toEqual({
      etag: file.headers["etag"],
      content_type: "image/png",
      size: file.body.length,
      width: 16,
      height: 16,
      pages: null,
      title: "Fake page",
      final_url: url,
      target_status: 200,
      notes: ["wait-capped"],
      cache: "MISS",
      expires_at: "2026-03-02T12:00:00.000Z",
      credit_cost: 1,
      signed_url: expect.stringContaining("/v1/snap/signed?"),
      stored_location: null,
    });
    expect(reply.headers).toMatchObject({
      "x-cache": "MISS",
      "x-target-status": "200",
      "x-render-notes": "wait-capped",
      "x-credits-remaining": "9",
      "x-ratelimit-remaining": expect.any(String),
      "cache-control": "no-store",
    });
    expect(reply.headers).not.toHaveProperty("etag");
    expect(reply.headers).not.toHaveProperty("content-security-policy");
    const { pathname, search } = new URL(String(document["signed_url"]));
    const linked = await service.send(`${pathname}${search}`);
    expect([linked.status, linked.headers["x-cache"], linked.body]).toEqual([200, "HIT", file.body]);
  });

  it("has no link, which would cost a credit, if the rendering does not fit in the cache", async () => {
    const service = await openService({ storage: createMemoryStorage({ cacheMaxBytes: 1 }) });
    const { token } = await service.customer({ credits: 10 });
    const html = { html: "<p>one</p>", pdf: true };
    const replies = [
      await service.snap({ url, answer: "json" }, { token }),
      await service.snap({ url, answer: "json", cache: "false" }, { token }),
      await service.send("/v1/captures", {
        method: "POST",
        token,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...html, answer: "json" }),
      }),
    ];
    for (const reply of replies)
      expect(metadataOf(reply)).toMatchObject({ credit_cost: 1, signed_url: null, expires_at: null });
  });

  it("shares the cache with the file, and never returns 304", async () => {
    const service = await openService();
    const { token } = await service.customer({ credits: 10 });
    const file = await service.snap({ url, answer: "file" }, { token });
    expect([file.status, file.headers["content-type"]]).toEqual([200, "image/png"]);
    const headers = { "If-None-Match": String(file.headers["etag"]) };
    const reply = await service.snap(`answer=json&url=${encodeURIComponent(url)}`, { token, headers });
    expect(metadataOf(reply)).toMatchObject({ cache: "HIT", credit_cost: 0, size: file.body.length });
    expect(reply.headers["x-credits-remaining"]).toBe("9");
    expect(service.renderer.calls).toHaveLength(1);
  });

  it("describes PDFs, and content that is sent with the request", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const pdf = metadataOf(await service.snap({ url, pdf: "1", answer: "json" }, { token }));
    expect(pdf).toMatchObject({
      content_type: "application/pdf",
      width: null,
      height: null,
      pages: 1,
      target_status: null,
    });
    const body = JSON.stringify({ html: "<h1>Hello</h1>", format: "webp", answer: "json" });
    const headers = { "Content-Type": "application/json" };
    const captured = await service.send("/v1/captures", { method: "POST", token, headers, body });
    const document = metadataOf(captured);
    expect(document).toMatchObject({ content_type: "image/webp", width: 16, cache: "MISS" });
    const { pathname, search } = new URL(String(document["signed_url"]));
    expect((await service.send(`${pathname}${search}`)).headers["x-cache"]).toBe("HIT");
  });

  it("has no link if no signed URL can return the file", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const links = [
      await service.snap({ url, cache: "0", answer: "json" }, { token }),
      await service.snap({ url, basicAuth: "ada:secret", answer: "json" }, { token }),
    ].map(metadataOf);
    expect(links).toMatchObject([
      { signed_url: null, cache: null, expires_at: null },
      { signed_url: null, cache: "MISS", expires_at: "2026-03-02T12:00:00.000Z" },
    ]);
  });

  it("leaves errors as they are", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await service.snap({ url, answer: "json", format: "gif" }, { token });
    expect([reply.status, Object.keys(envelopeOf(reply).errors ?? {})]).toEqual([422, ["format"]]);
  });

  it("has no page metadata for a rendering that an older release cached", async () => {
    const service = await openService();
    const { token, id } = await service.customer();
    await service.snap({ url }, { token });
    const { renderings } = service.storage;
    const key = "85c4f4017e687b3f7f85c988153e2687b0f4cc66a4390c79ca1f2199d4b67d8c";
    const stored = await renderings.get({ accountId: id, key, now: service.clock.now() });
    if (stored === null) throw new Error("the rendering is not stored");
    const { page: _, ...rendering } = stored;
    await renderings.put({ accountId: id, key, rendering });
    const document = metadataOf(await service.snap({ url, answer: "json", cache: "1" }, { token }));
    expect(document).toMatchObject({ cache: "HIT", title: null, final_url: null, pages: null });
  });
});

describe("answer", () => {
  it.each([
    ["answer=xml", [MESSAGE]],
    ["answer=", [MESSAGE]],
    ["answer=JSON", [MESSAGE]],
    ["%61nswer=xml", [MESSAGE]],
    ["answer=json&answer=json", ["must be sent only once", MESSAGE]],
  ])("is rejected: %s", async (query, messages) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await service.snap(`url=${encodeURIComponent(url)}&${query}`, { token });
    expect([reply.status, envelopeOf(reply).errors]).toEqual([422, { answer: messages }]);
    expect(reply.headers["x-credits-remaining"]).toBe("1000");
  });

  it.each(["snap", "captures"] as const)("is rejected with all other problems, by /v1/%s", async (path) => {
    const service = await openService();
    const { token } = await service.customer();
    const sent = { url, format: "gif", answer: "xml", zzz: "1" };
    const headers = { "Content-Type": "application/json" };
    const reply = await (path === "snap"
      ? service.snap(sent, { token })
      : service.send("/v1/captures", { method: "POST", token, headers, body: JSON.stringify(sent) }));
    expect(envelopeOf(reply).errors).toEqual({
      format: ["must be one of png, jpeg, webp"],
      answer: [MESSAGE],
      zzz: ["is not a parameter"],
    });
  });

  it("is rejected by every other entry point", async () => {
    const service = await openService();
    const { token, tokenId, signingSecret } = await service.customer();
    const query = signedQuery({ url, answer: "json", tokenId }, signingSecret);
    const signed = await service.send(`/v1/snap/signed?${query}`);
    expect([signed.status, envelopeOf(signed).errors]).toEqual([422, { answer: [MESSAGE] }]);
    const batch = await submit(service, { items: [{ url, answer: "json" }] }, { token });
    expect([batch.status, envelopeOf(batch).errors]).toEqual([422, { "items.0.answer": [MESSAGE] }]);
    const session = await CLIENTS["the older client"]({ origin: service.service.origin, token });
    const { isError, content } = await session.call("take-screenshot", { url, answer: "json" });
    expect([isError, content[0]?.["text"]]).toEqual([true, `validation_failed: answer ${MESSAGE}`]);
    expect(service.renderer.calls).toEqual([]);
  });
});
