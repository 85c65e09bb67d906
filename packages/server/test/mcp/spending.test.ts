import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { openService } from "../http/open-service.ts";
import { CLIENTS } from "./clients.ts";

const url = "https://example.com/";

it("protocol calls and check-usage spend neither credits nor render slots; renders spend both", async () => {
  const { service, customer, snap, ask } = await openService();
  const { token } = await customer({ credits: 10, requestsPerMinute: 20 });
  for (const connect of Object.values(CLIENTS)) {
    const session = await connect({ origin: service.origin, token });
    await session.listTools();
    await session.call("check-usage");
  }
  expect((await ask("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("10");

  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  await session.call("take-screenshot", { url });
  await session.call("create-pdf", { url });
  await session.call("take-screenshot", { url, selector: "'" });
  const { headers } = await snap({ url, scale: "2" }, { token });
  expect(headers).toMatchObject({ "x-credits-remaining": "7", "x-ratelimit-remaining": "17" });
});

it("a failed render is refunded", async () => {
  const { service, customer, ask, renderer } = await openService();
  const { SnapError } = await import("@snap/engine");
  const { token } = await customer({ credits: 10 });
  const session = await CLIENTS["the newer client, which asks"]({ origin: service.origin, token });
  renderer.failNext(new SnapError("render_timeout", "The page took too long."));
  const { isError, content } = await session.call("take-screenshot", { url });
  expect(isError).toBe(true);
  expect(content).toMatchObject([
    { text: "render_timeout: The page took too long." },
    { text: expect.stringMatching(/^Retry after 10 s\./) as string },
  ]);
  expect((await ask("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("10");
});

it("check-usage has the limit of GET /v1/usage: 60 a minute, together", async () => {
  const { service, customer, ask } = await openService();
  const { token } = await customer();
  for (let asked = 0; asked < 59; asked += 1) await ask("/v1/usage", { token });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  expect((await session.call("check-usage")).isError).toBeFalsy();
  const { isError, content } = await session.call("check-usage");
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(/^rate_limited: /);
});

it("cache: false renders anew, each time, and its link leads to that very rendering, for nothing", async () => {
  const { service, customer, ask, storage, renderer, snap } = await openService();
  const { token } = await customer({ credits: 3 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const links: string[] = [];
  for (const remaining of ["2", "1"]) {
    const { structuredContent } = await session.call("create-pdf", { url, cache: false });
    expect(structuredContent).toMatchObject({ cache: null, credit_cost: 1 });
    const { pathname, search } = new URL(String(structuredContent?.["signed_url"]));
    links.push(pathname + search);
    const file = await ask(pathname + search);
    expect(file.status).toBe(200);
    expect(file.headers).toMatchObject({ "x-cache": "HIT", etag: structuredContent?.["etag"] });
    expect((await ask("/v1/usage", { token })).headers["x-credits-remaining"]).toBe(remaining);
  }
  expect(renderer.calls).toHaveLength(2);
  // It answers nobody else who asks for the same.
  expect((await snap({ url, pdf: "true" }, { token })).headers["x-cache"]).toBe("MISS");
  expect(await storage.renderings.prune({ now: Date.parse("2026-03-02T12:00:00Z"), limit: 10 })).toBe(2);
  expect(new Set(links).size).toBe(1);
});

it("a picture that is shown is not kept where cache is false", async () => {
  const { service, customer, storage } = await openService();
  const { token } = await customer();
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { structuredContent } = await session.call("take-screenshot", { url, cache: false });
  expect(structuredContent).toMatchObject({ cache: null, signed_url: null, expires_at: null });
  expect(await storage.renderings.prune({ now: Date.parse("2026-03-09T12:00:00Z"), limit: 10 })).toBe(0);
});

it("a rendering that can't be kept for its link is not paid for", async () => {
  const { service, customer, ask, storage } = await openService();
  const { token } = await customer({ credits: 1 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  storage.renderings.put = async () => {
    throw new Error("database or disk is full");
  };
  const { isError, content } = await session.call("create-pdf", { url, cache: false });
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(/^server_error: /);
  expect((await ask("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("1");
});

it("a call waits for its turn for 10 s and no longer: clients give up after a minute", async () => {
  const { service, engine, customer, ask, clock, renderer } = await openService();
  const { token } = await customer({ credits: 1000 });
  const release = renderer.hold();
  // As many as one account may run at once.
  const slots = 2 * availableParallelism() + 1;
  const running = Array.from({ length: slots }, (_, delay) =>
    ask(`/v1/snap?url=${url}&delay=${delay}`, { token }),
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

it("a link ends with the token that signed it", async () => {
  const { service, engine, clock, customer, ask } = await openService();
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
  expect((await ask(pathname + search)).status).toBe(200);
});

it("numbers that a query can't carry name the same rendering all the same", async () => {
  const { service, customer, ask } = await openService();
  const { token } = await customer({ credits: 1 });
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { structuredContent } = await session.call("create-pdf", { url, scale: 0.1 + 0.2 });
  const { pathname, search } = new URL(String(structuredContent?.["signed_url"]));
  expect((await ask(pathname + search)).headers["x-cache"]).toBe("HIT");
});
