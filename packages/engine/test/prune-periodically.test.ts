import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import type { Storage } from "../src/ports/storage.ts";
import { flushMicrotasks } from "./batches/open-engine.ts";
import { openTestEngine } from "./open-test-engine.ts";

it("pruning retries a failed step only after a minute, even while there is more to delete", async () => {
  const memory = createMemoryStorage();
  let left = 100;
  const storage: Storage = {
    ...memory,
    renderings: { ...memory.renderings, prune: async () => (left > 0 ? ((left -= 1), 1) : 0) },
    history: { ...memory.history, prune: () => Promise.reject(new Error("no such table")) },
  };
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const errors: string[] = [];
  const onBackgroundError = (error: unknown): void => void errors.push(String(error));
  const engine = openTestEngine({ storage, clock, onBackgroundError });
  clock.advance(60_000);
  for (let pass = 0; pass < 110; pass += 1) {
    await flushMicrotasks();
    clock.advance(5);
  }
  expect(left).toBe(0);
  expect(errors).toEqual(["Error: no such table"]);
  clock.advance(60_000);
  await flushMicrotasks();
  expect(errors).toEqual(["Error: no such table", "Error: no such table"]);
  await engine.close();
});
