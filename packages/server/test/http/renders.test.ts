import { SnapError } from "@snap/engine";
import { describe, expect, it } from "vitest";
import { batchOf, remainingRequests, queuedItem, submit } from "./batches.ts";
import { envelopeOf, openService, RESET_SECONDS } from "./open-service.ts";

const url = "https://example.com/";
const one = { items: [{ url }] };
const BATCH_ID = /^batch_[0-9a-f]{24}$/;
const ITEM_ID = /^item_[0-9a-f]{24}$/;
const HOUR_MS = 60 * 60 * 1000;
const WEEK_MS = 7 * 24 * HOUR_MS;

describe("POST /v1/renders", () => {
  it("returns the batch with every item queued, without waiting for a render", async () => {
    const service = await openService({ worker: true });
    const { token } = await service.customer();
    const release = service.renderer.hold();
    const reply = await submit(
      service,
      {
        items: [{ url }, { url, pdf: true, paperFormat: "letter" }],
        webhookUrl: "https://example.com/hook?key=1",
      },
      { token },
    );
    expect(reply.status).toBe(202);
    expect(batchOf(reply)).toEqual({
      id: expect.stringMatching(BATCH_ID),
      status: "pending",
      created_at: "2026-03-01T12:00:00.000Z",
      finished_at: null,
      prunes_at: "2026-03-08T12:00:00.000Z",
      webhook: { url: "https://example.com/hook?key=1", delivered_at: null },
      items: [queuedItem(url), queuedItem(url)],
    });
    expect(reply.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      location: `https://snap.example.com/v1/renders/${batchOf(reply).id}`,
      "x-credits-limit": "1000",
      "x-credits-remaining": "1000",
      "x-credits-reset": RESET_SECONDS,
    });
    for (const name of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-cache", "retry-after"])
      expect(reply.headers).not.toHaveProperty(name);
    release();
  });

  it("preserves the order of 20 items, each with a unique id", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const items = Array.from({ length: 20 }, (_, index) => ({ url: `${url}${index}` }));
    const batch = batchOf(await submit(service, { items }, { token }));
    expect(batch.webhook).toBeNull();
    expect(batch.items).toEqual(items.map((item) => queuedItem(item.url)));
    expect(new Set(batch.items.map(({ id }) => id)).size).toBe(20);
    expect(service.renderer.calls).toEqual([]);
  });

  it("accepts values as JSON types and as in a query", async () => {
    const service = await openService({ worker: true });
    const { token } = await service.customer();
    const items = [
      { url, fullPage: "1", format: "jpeg", quality: "80" },
      { url, pdf: 1, scale: 0.5 },
    ];
    expect((await submit(service, { items }, { token })).status).toBe(202);
    await service.whenLogged("batch item done", 2);
    expect(service.renderer.calls).toEqual([
      expect.objectContaining({ pdf: false, fullPage: true, format: "jpeg", quality: 80 }),
      expect.objectContaining({ pdf: true, scale: 0.5 }),
    ]);
  });
});

describe("the submission limit", () => {
  it("is 10 a minute, separate from the render limit", async () => {
    const service = await openService();
    const { id, token } = await service.customer();
    const replies = await Promise.all(Array.from({ length: 12 }, () => submit(service, one, { token })));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(2);
    service.clock.advance(20_000);
    const refused = await submit(service, one, { token });
    expect(refused.status).toBe(429);
    expect(envelopeOf(refused).code).toBe("rate_limited");
    expect(refused.headers).toMatchObject({
      "x-ratelimit-limit": "10",
      "x-ratelimit-remaining": "0",
      "retry-after": "40",
      "x-credits-remaining": "1000",
    });
    expect(await remainingRequests(service, { accountId: id, name: "render" })).toBe(100);
    expect(await remainingRequests(service, { accountId: id, name: "cached" })).toBe(100);
    service.clock.advance(40_000);
    expect((await submit(service, one, { token })).status).toBe(202);
  });
});

describe("GET /v1/renders/{id}", () => {
  it("follows an item from queued to rendering to done", async () => {
    const service = await openService();
    const { id: accountId, token, tokenId } = await service.customer();
    const release = service.renderer.hold();
    const { id } = batchOf(await submit(service, one, { token }));
    const poll = async () => batchOf(await service.send(`/v1/renders/${id}`, { token }));
    expect((await poll()).items).toEqual([queuedItem(url)]);

    service.clock.advance(HOUR_MS);
    expect(await poll()).toMatchObject({ status: "pending", prunes_at: "2026-03-08T13:00:00.000Z" });

    service.engine.startWorker();
    await service.renderer.whenCalled(1);
    expect((await poll()).items).toEqual([{ ...queuedItem(url), status: "rendering" }]);

    release();
    await service.whenLogged("batch item done");
    const [item] = (await poll()).items;
    expect(item).toEqual({
      id: expect.stringMatching(ITEM_ID),
      url,
      status: "done",
      error: null,
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      target_status: 200,
      expires_at: "2026-03-02T13:00:00.000Z",
      signed_url: expect.any(String),
      credit_cost: 1,
    });
    const address = new URL(String(item?.signed_url));
    expect(`${address.origin}${address.pathname}`).toBe("https://snap.example.com/v1/snap/signed");
    expect(Object.fromEntries(address.searchParams)).toEqual({
      url,
      tokenId: String(tokenId),
      expires: String(Date.parse("2026-03-02T13:00:00Z") / 1000),
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    });

    const fetched = await service.send(`${address.pathname}${address.search}`);
    expect(fetched).toMatchObject({ status: 200, headers: { "x-cache": "HIT", etag: item?.etag } });
    const repeated = await service.snap({ url }, { token });
    expect(repeated.headers).toMatchObject({ "x-cache": "HIT", "x-credits-remaining": "999" });
    expect(await remainingRequests(service, { accountId, name: "render" })).toBe(99);

    expect(await poll()).toMatchObject({
      status: "complete",
      created_at: "2026-03-01T12:00:00.000Z",
      finished_at: "2026-03-01T13:00:00.000Z",
      prunes_at: "2026-03-08T13:00:00.000Z",
      webhook: null,
    });
    service.clock.advance(WEEK_MS - 1);
    expect(await poll()).toMatchObject({ prunes_at: "2026-03-08T13:00:00.000Z" });
    service.clock.advance(1);
    const pruned = await service.send(`/v1/renders/${id}`, { token });
    expect(pruned.status).toBe(404);
    expect(envelopeOf(pruned).code).toBe("not_found");
  });

  it("is rejected for an account whose email address is not verified", async () => {
    const service = await openService();
    const { id, token } = await service.customer();
    const batch = batchOf(await submit(service, one, { token }));
    await service.storage.accounts.update(id, { emailVerifiedAt: null });
    const reply = await service.send(`/v1/renders/${batch.id}`, { token });
    expect(reply.status).toBe(403);
    expect(envelopeOf(reply).code).toBe("email_unverified");
  });

  it("returns why an item failed, and that it costs nothing", async () => {
    const service = await openService({ worker: true });
    const { token } = await service.customer();
    service.renderer.failNext(
      new SnapError("render_timeout", "It took too long.", { detail: "for the log" }),
    );
    const { id } = batchOf(await submit(service, one, { token }));
    await service.whenLogged("batch item failed");
    const reply = await service.send(`/v1/renders/${id}`, { token });
    expect(batchOf(reply)).toMatchObject({ status: "complete", finished_at: "2026-03-01T12:00:00.000Z" });
    expect(batchOf(reply).items).toEqual([
      {
        ...queuedItem(url),
        status: "failed",
        error: { code: "render_timeout", message: "It took too long." },
        credit_cost: 0,
      },
    ]);
    expect(reply.headers).toMatchObject({ "x-credits-remaining": "1000", "cache-control": "no-store" });
  });

  it("returns cost 0 for a cache hit, and no target status for a PDF", async () => {
    const service = await openService();
    const { token } = await service.customer();
    await service.snap({ url }, { token });
    const document = { items: [{ url }, { url, pdf: true }] };
    const { id } = batchOf(await submit(service, document, { token }));
    service.engine.startWorker();
    await service.whenLogged("batch item done", 2);
    const { items } = batchOf(await service.send(`/v1/renders/${id}`, { token }));
    expect(items).toMatchObject([
      { status: "done", credit_cost: 0, target_status: 200 },
      { status: "done", credit_cost: 1, target_status: null },
    ]);
  });

  it("supports HEAD, and is not rate limited", async () => {
    const service = await openService();
    const { token } = await service.customer({ requestsPerMinute: 1 });
    const { id } = batchOf(await submit(service, one, { token }));
    const path = `/v1/renders/${id}`;
    const [get, head] = [
      await service.send(path, { token }),
      await service.send(path, { token, method: "HEAD" }),
    ];
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers["content-length"]).toBe(String(get.body.length));
    const polls = await Promise.all(Array.from({ length: 70 }, () => service.send(path, { token })));
    expect(polls.filter(({ status }) => status === 200)).toHaveLength(70);
  });

  it.each([
    ["unknown", "batch_0a1b2c3d4e5f60718293a4b5"],
    ["a lone percent sign", "%"],
    ["not UTF-8", "%ff"],
    ["a NUL", "%00"],
    ["an encoded slash", "a%2Fb"],
    ["dots", ".."],
    ["encoded dots", "%2e%2e"],
    ["__proto__", "__proto__"],
    ["very long", "a".repeat(10_000)],
    ["followed by a query and a fragment", "x?a=b#c"],
  ])("returns 404 for an id that is %s", async (_name, id) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await service.send(`/v1/renders/${id}`, { token });
    expect(reply.status).toBe(404);
    expect(envelopeOf(reply)).toEqual({
      code: "not_found",
      message: expect.any(String),
      request_id: reply.headers["x-request-id"],
    });
    expect(reply.headers).toMatchObject({ "cache-control": "no-store", "x-credits-remaining": "1000" });
    expect((await service.send(`/v1/renders/${id}`)).status).toBe(401);
  });

  it("accepts a percent-encoded id", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const { id } = batchOf(await submit(service, one, { token }));
    expect((await service.send(`/v1/renders/%62${id.slice(1)}?cachebuster=1`, { token })).status).toBe(200);
  });
});

describe("an item's signed URL", () => {
  it("is signed with the polling token, and is null if that token could not use it for free", async () => {
    const service = await openService({ worker: true });
    const { id: accountId, token } = await service.customer();
    const document = {
      items: [
        { url, cacheTtl: 3600 },
        { url, pdf: true, cacheTtl: 7200 },
      ],
    };
    const { id } = batchOf(await submit(service, document, { token }));
    await service.whenLogged("batch item done", 2);
    const fetchLinks = async (pollToken: string) =>
      batchOf(await service.send(`/v1/renders/${id}`, { token: pollToken })).items.map(
        (item) => item.signed_url,
      );

    const narrowed = await service.engine.tokens.create({ accountId, abilities: ["pdf"] });
    const [screenshot, pdf] = await fetchLinks(narrowed.token);
    expect(screenshot).toBeNull();
    const address = new URL(String(pdf));
    expect(address.searchParams.get("tokenId")).toBe(String(narrowed.record.id));
    expect(await service.send(`${address.pathname}${address.search}`)).toMatchObject({
      status: 200,
      headers: { "content-type": "application/pdf", "x-cache": "HIT" },
    });

    service.clock.advance(HOUR_MS - 1000);
    expect(await fetchLinks(token)).toEqual([expect.any(String), expect.any(String)]);
    service.clock.advance(1000);
    const expired = batchOf(await service.send(`/v1/renders/${id}`, { token }));
    expect(expired.items).toMatchObject([
      { status: "done", expires_at: "2026-03-01T13:00:00.000Z", signed_url: null, credit_cost: 1 },
      { status: "done", expires_at: "2026-03-01T14:00:00.000Z", signed_url: expect.any(String) },
    ]);
  });
});
