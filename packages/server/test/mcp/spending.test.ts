import { parseParameters } from "@snap/engine";
import { createMemoryStorage } from "@snap/testing";
import { availableParallelism } from "node:os";
import { expect, it, vi } from "vitest";
import { envelopeOf, openService } from "../http/open-service.ts";
import { CLIENTS } from "./clients.ts";

const url = "https://example.com/";

it("only renders use credits and the render limit, not protocol calls or check-usage", async () => {
  const { service, customer, snap, send } = await openService();
  const { token } = await customer({ credits: 10, requestsPerMinute: 20 });
  for (const connect of Object.values(CLIENTS)) {
    const session = await connect({ origin: service.origin, token });
    await session.listTools();
    await session.call("check-usage");
  }
  expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("10");

  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  await session.call("take-screenshot", { url });
  await session.call("create-pdf", { url });
  await session.call("take-screenshot", { url, selector: "'" });
  const { headers } = await snap({ url, scale: "2" }, { token });
  expect(headers).toMatchObject({ "x-credits-remaining": "7", "x-ratelimit-remaining": "17" });
});

it("refunds a failed render", async () => {
  const { service, customer, send, renderer } = await openService();
  const { SnapError } = await import("@snap/engine");
  const { token } = await customer({ credits: 10 });
  const session = await CLIENTS["the newer client, negotiated revision"]({ origin: service.origin, token });
  renderer.failNext(new SnapError("render_timeout", "The page took too long."));
  const { isError, content } = await session.call("take-screenshot", { url });
  expect(isError).toBe(true);
  expect(content).toMatchObject([
    { text: "render_timeout: The page took too long." },
    { text: expect.stringMatching(/^Retry after 10 s\./) as string },
  ]);
  expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("10");
});

it("check-usage shares the limit of GET /v1/usage, 60 a minute", async () => {
  const { service, customer, send } = await openService();
  const { token } = await customer();
  for (let count = 0; count < 59; count += 1) await send("/v1/usage", { token });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  expect((await session.call("check-usage")).isError).toBeFalsy();
  const { isError, content } = await session.call("check-usage");
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(/^rate_limited: /);
});

it("with cache: false, renders every time, and links to that rendering for free", async () => {
  const { service, customer, send, storage, renderer, snap } = await openService();
  const { token } = await customer({ credits: 3 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const links: string[] = [];
  for (const remaining of ["2", "1"]) {
    const { structuredContent } = await session.call("create-pdf", { url, cache: false });
    expect(structuredContent).toMatchObject({ cache: null, credit_cost: 1 });
    const { pathname, search } = new URL(String(structuredContent?.["signed_url"]));
    links.push(pathname + search);
    const file = await send(pathname + search);
    expect(file.status).toBe(200);
    expect(file.headers).toMatchObject({ "x-cache": "HIT", etag: structuredContent?.["etag"] });
    expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe(remaining);
  }
  expect(renderer.calls).toHaveLength(2);
  // Other requests with the same parameters do not get it.
  expect((await snap({ url, pdf: "true" }, { token })).headers["x-cache"]).toBe("MISS");
  expect(await storage.renderings.prune({ now: Date.parse("2026-03-02T12:00:00Z"), limit: 10 })).toBe(2);
  expect(new Set(links).size).toBe(1);
});

it("with cache: false, does not store an inlined image", async () => {
  const { service, customer, storage } = await openService();
  const { token } = await customer();
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { structuredContent } = await session.call("take-screenshot", { url, cache: false });
  expect(structuredContent).toMatchObject({ cache: null, signed_url: null, expires_at: null });
  expect(await storage.renderings.prune({ now: Date.parse("2026-03-09T12:00:00Z"), limit: 10 })).toBe(0);
});

it("does not charge for a rendering that cannot be stored for its link", async () => {
  const { service, customer, send, storage } = await openService();
  const { token } = await customer({ credits: 1 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  storage.renderings.put = async () => {
    throw new Error("database or disk is full");
  };
  const { isError, content } = await session.call("create-pdf", { url, cache: false });
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(/^server_error: /);
  expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("1");
});

it("returns the file, not a link that costs another credit, if it does not fit in the cache", async () => {
  const { service, customer } = await openService({ storage: createMemoryStorage({ cacheMaxBytes: 1 }) });
  const { token } = await customer();
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { content, structuredContent } = await session.call("create-pdf", { url });
  expect(content).toMatchObject([
    { type: "resource", resource: { mimeType: "application/pdf" } },
    { type: "text", text: expect.stringContaining("the file could not be cached") as string },
  ]);
  expect(structuredContent).toMatchObject({ signed_url: null, expires_at: null, credit_cost: 1 });
});

it("refunds a file that fits neither in the cache nor in a tool result", async () => {
  const storage = createMemoryStorage({ cacheMaxBytes: 1 });
  const { service, customer, send, renderer } = await openService({ storage });
  const { token } = await customer({ credits: 10 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const drawn = await renderer.render(parseParameters({ url, pdf: true }));
  const large = { ...drawn, bytes: Buffer.concat([drawn.bytes, Buffer.alloc(700_000)]) };
  vi.spyOn(renderer, "render").mockResolvedValueOnce(large);
  const { isError, content } = await session.call("create-pdf", { url });
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(
    /^render_failed: PDF too large to inline .* the file could not be cached/,
  );
  expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("10");
});

it("waits at most 10 s for a slot, because clients give up after a minute", async () => {
  const { service, engine, customer, send, clock, renderer } = await openService();
  const { token } = await customer({ credits: 1000 });
  const release = renderer.hold();
  // As many renders as one account can run at once.
  const slots = 2 * availableParallelism() + 1;
  const running = Array.from({ length: slots }, (_, delay) =>
    send(`/v1/snap?url=${url}&delay=${delay}`, { token }),
  );
  await renderer.whenCalled(slots);
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const called = session.call("take-screenshot", { url });
  await expect.poll(() => engine.load().waiting).toBe(1);
  clock.advance(9_999);
  expect(engine.load().waiting).toBe(1);
  clock.advance(1);
  const { isError, content } = await called;
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(/^upstream_rate_limited: /);
  expect(content[1]?.["text"]).toMatch(/^Retry after 2 s\./);
  release();
  await Promise.all(running);
});

it("a link expires with the token that signed it", async () => {
  const { service, engine, clock, customer, send } = await openService();
  const { id } = await customer();
  const { token } = await engine.tokens.create({ accountId: id, expiresAt: clock.now() + 3_600_000 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { content, structuredContent } = await session.call("create-pdf", { url, cacheTtl: 7200 });
  expect(content[0]).toMatchObject({
    description: "Valid until 2026-03-01T13:00:00.000Z.",
  });
  expect(structuredContent?.["expires_at"]).toBe("2026-03-01T13:00:00.000Z");
  const { pathname, search } = new URL(String(structuredContent?.["signed_url"]));
  expect(new URLSearchParams(search).get("expires")).toBe("1772370000");
  expect((await send(pathname + search)).status).toBe(200);
  clock.advance(3_600_000);
  const expired = await send(pathname + search);
  expect([expired.status, envelopeOf(expired).code]).toEqual([403, "invalid_signature"]);
});

it("links to the same rendering for a number that a query cannot represent", async () => {
  const { service, customer, send } = await openService();
  const { token } = await customer({ credits: 1 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { structuredContent } = await session.call("create-pdf", { url, scale: 0.1 + 0.2 });
  const { pathname, search } = new URL(String(structuredContent?.["signed_url"]));
  expect((await send(pathname + search)).headers["x-cache"]).toBe("HIT");
});
