import { createFakeClock, createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import type { LinkRequest, RenderingLink } from "../../src/cache/links.ts";
import { type Engine } from "../../src/create-engine.ts";
import { SnapError } from "../../src/errors.ts";
import type { RenderedFile, Renderer } from "../../src/ports/renderer.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00.400Z");
const url = "https://example.com/";
const baseUrl = "https://snap.example.com/v1";

async function open({ cacheMaxBytes = 1_000_000 } = {}): Promise<{
  storage: ReturnType<typeof createMemoryStorage>;
  renderer: Renderer & { setContent: (content: string) => void };
  engine: Engine;
  principal: Principal;
  clock: ReturnType<typeof createFakeClock>;
}> {
  const clock = createFakeClock(START_MS);
  const storage = createMemoryStorage({ cacheMaxBytes });
  let content = "first";
  const renderer = {
    ...createFakeRenderer(),
    setContent: (text: string): void => void (content = text),
    render: async (): Promise<RenderedFile> => ({
      bytes: Buffer.from(content),
      contentType: "image/png",
      targetStatus: 200,
      notes: [],
    }),
  };
  const engine = openTestEngine({ storage, renderer, clock });
  return { engine, clock, storage, renderer, principal: await createPrincipal(engine) };
}

function linkOf(engine: Engine, request: LinkRequest): RenderingLink {
  const link = engine.link(request);
  if (link === null) throw new Error("the rendering is not cached");
  return link;
}

it("signs a URL for the cached rendering, with the parameters as sent, that is valid until the cache entry expires", async () => {
  const { engine, principal } = await open();
  const parameters = { url, fullPage: true, scale: 2, quality: undefined };
  const capture = await engine.capture({ principal, parameters, linked: () => true });
  const link = linkOf(engine, { principal, parameters, capture, baseUrl });
  expect(link.url.startsWith("https://snap.example.com/v1/snap/signed?")).toBe(true);
  expect(new Date(link.expiresAt).toISOString()).toBe("2026-03-02T12:00:00.000Z");

  const signed = await engine.authenticateSigned(new URL(link.url).searchParams);
  expect(Object.fromEntries(signed.parameters)).toEqual({ url, fullPage: "true", scale: "2" });
  expect(signed.expiresAt).toBe(link.expiresAt);
  const fetched = await engine.capture(signed);
  expect(fetched).toMatchObject({ cache: "hit", creditCost: 0, rendering: { etag: capture.rendering.etag } });
});

it("stores a rendering requested with cache: false as a cache entry that only its link can hit", async () => {
  const { engine, principal, clock, renderer } = await open();
  const plain = await engine.capture({ principal, parameters: { url } });
  clock.advance(60_000);
  renderer.setContent("changed");
  const parameters = { url, cache: false };
  const capture = await engine.capture({ principal, parameters, linked: () => true });
  expect(capture).toMatchObject({ cache: "bypass", creditCost: 1 });
  expect(capture.rendering.etag).not.toBe(plain.rendering.etag);
  const link = linkOf(engine, { principal, parameters, capture, baseUrl });
  const fetched = await engine.capture(await engine.authenticateSigned(new URL(link.url).searchParams));
  expect(fetched).toMatchObject({ cache: "hit", rendering: { etag: capture.rendering.etag } });
  // the entry expires in half a day to a day, together with the link
  expect(link.expiresAt).toBe(Math.floor(fetched.rendering.expiresAt / 1000) * 1000);
  expect(fetched.rendering.expiresAt - clock.now()).toBeGreaterThanOrEqual(43_200_000);
  expect(fetched.rendering.expiresAt - clock.now()).toBeLessThan(86_400_000);

  const repeated = await engine.capture({ principal, parameters: { url } });
  expect(repeated).toMatchObject({ cache: "hit", rendering: { etag: plain.rendering.etag } });
});

it("neither caches nor links a rendering requested with cache: false unless linked is set", async () => {
  const { engine, principal, storage } = await open();
  const parameters = { url, cache: false };
  const capture = await engine.capture({ principal, parameters });
  expect(engine.link({ principal, parameters, capture, baseUrl })).toBeNull();
  expect(await storage.renderings.prune({ now: START_MS + 100_000_000, limit: 10 })).toBe(0);
});

it("fails before the charge if the URL can't be signed, because the secret key has changed", async () => {
  const { engine, principal, storage, clock, renderer } = await open();
  const other = openTestEngine({ storage, renderer, clock, secretKey: "another key for these tests" });
  const capture = other.capture({ principal, parameters: { url }, linked: () => true });
  await expect(capture).rejects.toMatchObject({ code: "server_error" });
  expect(await engine.credits(principal.account)).toMatchObject({ used: 0, remaining: 1000 });
});

it("signs a link that never outlives the cache entry, not even by a fraction of a second", async () => {
  const { engine, principal, clock } = await open();
  const parameters = { url, cacheTtl: 60 };
  await engine.capture({ principal, parameters });
  clock.advance(59_999);
  const capture = await engine.capture({ principal, parameters, linked: () => true });
  const link = linkOf(engine, { principal, parameters, capture, baseUrl });
  expect(new Date(link.expiresAt).toISOString()).toBe("2026-03-01T12:01:00.000Z");
  expect(link.expiresAt).toBeLessThan(capture.rendering.expiresAt);
});

it("returns no link, not even to joined requests, if the rendering does not fit the cache", async () => {
  const { engine, principal } = await open({ cacheMaxBytes: 1000 });
  for (const parameters of [{ url, cache: false }, { url }]) {
    const captures = await Promise.all(
      [1, 2].map(() => engine.capture({ principal, parameters, linked: () => true })),
    );
    for (const capture of captures) {
      expect(capture.isCached).toBe(false);
      expect(engine.link({ principal, parameters, capture, baseUrl })).toBeNull();
    }
  }
  expect(await engine.credits(principal.account)).toMatchObject({ used: 3 });
});

it("refunds a rendering that is not cached if the caller rejects uncached renderings", async () => {
  const { engine, principal } = await open({ cacheMaxBytes: 1000 });
  const rejectUncached = (): never => {
    throw new SnapError("render_failed", "No link.");
  };
  const capture = engine.capture({ principal, parameters: { url }, acceptUncached: rejectUncached });
  await expect(capture).rejects.toMatchObject({ code: "render_failed", message: "No link." });
  expect(await engine.credits(principal.account)).toMatchObject({ used: 0 });
});

it("renders again for a request that joined a refunded render, and charges that request", async () => {
  const { engine, principal } = await open({ cacheMaxBytes: 1000 });
  const unusable = (): never => {
    throw new SnapError("render_failed", "No link.");
  };
  const refunded = engine.capture({ principal, parameters: { url }, acceptUncached: unusable });
  const joined = engine.capture({ principal, parameters: { url } });
  await expect(refunded).rejects.toMatchObject({ message: "No link." });
  expect(await joined).toMatchObject({ cache: "miss", creditCost: 1 });
  expect(await engine.credits(principal.account)).toMatchObject({ used: 1 });
});

it("signs the URL that identifies a document", async () => {
  const { engine, principal } = await open();
  const parameters = { pdf: true };
  const capture = await engine.capture({ principal, parameters, document: { html: "<p>1</p>" } });
  const link = linkOf(engine, { principal, parameters, capture, baseUrl });
  const fetched = await engine.capture(await engine.authenticateSigned(new URL(link.url).searchParams));
  expect(fetched).toMatchObject({ cache: "hit", creditCost: 0, rendering: { etag: capture.rendering.etag } });
});
