import { createFakeClock, createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import type { PutObjectOutcome } from "../../src/ports/object-store.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

it("a reservation outlasts the longest wait, the longest render, the slowest store and a slow cache", async () => {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const renderer = createFakeRenderer();
  const storePutStarted = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<PutObjectOutcome>();
  const cachePutStarted = Promise.withResolvers<void>();
  const cached = Promise.withResolvers<void>();
  const storage = createMemoryStorage();
  const { renderings } = storage;
  let puts = 0;
  const engine = openTestEngine({
    clock,
    storage: {
      ...storage,
      renderings: {
        ...renderings,
        async put(request) {
          puts += 1;
          if (puts === 2) {
            cachePutStarted.resolve();
            await cached.promise;
          }
          return renderings.put(request);
        },
      },
    },
    renderer: { ...renderer, renderTimeoutMs: 90_000 },
    concurrency: 1,
    maxWaitMs: 300_000,
    stores: {
      slow: {
        store: {
          put() {
            storePutStarted.resolve();
            return stored.promise;
          },
        },
      },
    },
  });
  const principal = await createPrincipal(engine);
  const capture = (parameters: Record<string, unknown>): Promise<{ creditCost: number }> =>
    engine.capture({ principal, parameters: { url: "https://example.com/", ...parameters } });

  const releaseFirst = renderer.hold();
  const first = capture({ scale: 2 });
  await renderer.whenCalled(1);
  const second = capture({ storeTo: "slow" });
  await expect.poll(() => engine.load().waiting).toBe(1);
  clock.advance(299_000);
  const releaseSecond = renderer.hold();
  releaseFirst();
  expect((await first).creditCost).toBe(1);
  await renderer.whenCalled(2);
  clock.advance(89_000);
  releaseSecond();
  await storePutStarted.promise;
  clock.advance(29_000);
  stored.resolve({ location: "s3://bucket/key" });
  await cachePutStarted.promise;
  clock.advance(29_000);
  cached.resolve();
  expect((await second).creditCost).toBe(1);
  await engine.close();
});

it("an engine can be created with the longest timer delay as its maxWaitMs", async () => {
  await expect(openTestEngine({ maxWaitMs: 2_147_483_647 }).close()).resolves.toBeUndefined();
});

const store = { put: async () => ({ location: "s3://bucket/key" }) };

it.each([
  ["without stores", {}, 40_000],
  ["with a store, which takes at most 30 s", { stores: { slow: { store } } }, 10_000],
])(
  // the longest render takes 45 s, and 5 s are for the steps around it
  "finishWithin(90_000) lets a waiting render start within $2 ms, but not later: $0",
  async (_name, options, lastStartMs) => {
    for (const [waitMs, starts] of [
      [lastStartMs, true],
      [lastStartMs + 1, false],
    ] as const) {
      const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
      const renderer = createFakeRenderer();
      const engine = openTestEngine({ clock, renderer, concurrency: 1, ...options });
      const principal = await createPrincipal(engine);
      const url = "https://example.com/";
      const release = renderer.hold();
      const first = engine.capture({ principal, parameters: { url } });
      await renderer.whenCalled(1);
      const second = engine.capture({ principal, parameters: { url, scale: 2 } }).catch((error) => error);
      await expect.poll(() => engine.load().waiting).toBe(1);
      engine.finishWithin(90_000);
      clock.advance(waitMs);
      release();
      expect(await first).toMatchObject({ cache: "miss" });
      expect(await second).toMatchObject(starts ? { cache: "miss" } : { code: "upstream_rate_limited" });
      expect((await engine.credits(principal.account)).used).toBe(starts ? 2 : 1);
      await engine.close();
    }
  },
);
