import { createFakeClock, createFakeRenderer } from "@snap/testing";
import { expect, it, vi } from "vitest";
import type { PutObjectOutcome } from "../../src/ports/object-store.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

it("a reservation outlasts the longest wait for a slot, the longest render and the slowest store", async () => {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const renderer = createFakeRenderer();
  const storing = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<PutObjectOutcome>();
  const engine = openTestEngine({
    clock,
    renderer: { ...renderer, renderTimeoutMs: 90_000 },
    concurrency: 1,
    maxWaitMs: 300_000,
    stores: {
      slow: {
        store: {
          put() {
            storing.resolve();
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
  await vi.waitFor(() => expect(engine.load().waiting).toBe(1));
  clock.advance(299_000);
  const releaseSecond = renderer.hold();
  releaseFirst();
  expect((await first).creditCost).toBe(1);
  await renderer.whenCalled(2);
  clock.advance(89_000);
  releaseSecond();
  await storing.promise;
  clock.advance(29_000);
  stored.resolve({ location: "s3://bucket/key" });
  expect((await second).creditCost).toBe(1);
  await engine.close();
});

it("an engine can be created with the longest timer delay as its maxWaitMs", async () => {
  await expect(openTestEngine({ maxWaitMs: 2_147_483_647 }).close()).resolves.toBeUndefined();
});
