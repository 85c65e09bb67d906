import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
} from "@snap/testing";
import { expect, it } from "vitest";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import type { Principal } from "../../src/tokens/authenticate.ts";

const START_MS = Date.parse("2026-03-01T12:00:00.400Z");
const url = "https://example.com/";
const baseUrl = "https://snap.example.com/v1";

async function open(): Promise<{
  engine: Engine;
  principal: Principal;
  clock: ReturnType<typeof createFakeClock>;
}> {
  const clock = createFakeClock(START_MS);
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
    clock,
    random: createFakeRandom(1),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
  });
  const account = await engine.accounts.create({
    email: "a@example.com",
    planSlug: "starter",
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  return { engine, clock, principal: await engine.authenticate(token) };
}

it("leads to the very copy, by the parameters that were sent, until the copy lapses", async () => {
  const { engine, principal } = await open();
  const parameters = { url, fullPage: true, scale: 2, quality: undefined };
  const capture = await engine.capture({ principal, parameters });
  const link = await engine.link({ principal, parameters, capture, baseUrl });
  expect(link.url.startsWith("https://snap.example.com/v1/snap/signed?")).toBe(true);
  expect(new Date(link.expiresAt).toISOString()).toBe("2026-03-02T12:00:00.000Z");

  const signed = await engine.authenticateSigned(new URL(link.url).searchParams);
  expect(Object.fromEntries(signed.parameters)).toEqual({ url, fullPage: "true", scale: "2" });
  expect(signed.expiresAt).toBe(link.expiresAt);
  const fetched = await engine.capture(signed);
  expect(fetched).toMatchObject({ cache: "hit", creditCost: 0, rendering: { etag: capture.rendering.etag } });
});

it("keeps what was asked for with cache: false, in place of an older copy", async () => {
  const { engine, principal, clock } = await open();
  await engine.capture({ principal, parameters: { url } });
  clock.advance(60_000);
  const parameters = { url, cache: false };
  const capture = await engine.capture({ principal, parameters });
  const link = await engine.link({ principal, parameters, capture, baseUrl });
  expect(new Date(link.expiresAt).toISOString()).toBe("2026-03-02T12:01:00.000Z");
  const fetched = await engine.capture(await engine.authenticateSigned(new URL(link.url).searchParams));
  expect(fetched).toMatchObject({ cache: "hit", rendering: { storedAt: START_MS + 60_000 } });
});

it("lives for a second at the least", async () => {
  const { engine, principal, clock } = await open();
  const parameters = { url, cacheTtl: 60 };
  await engine.capture({ principal, parameters });
  clock.advance(59_999);
  const capture = await engine.capture({ principal, parameters });
  const link = await engine.link({ principal, parameters, capture, baseUrl });
  expect(new Date(link.expiresAt).toISOString()).toBe("2026-03-01T12:01:01.000Z");
});
