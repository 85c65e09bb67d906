import {
  createFakeClock,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { onTestFinished } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import type { EngineOptions } from "../../src/engine-options.ts";
import type { HistoryEntry } from "../../src/ports/history.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

export const NOON = Date.parse("2026-03-01T12:00:00Z");
export const DAY_MS = 86_400_000;

export interface HistoryBench {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly renderer: FakeRenderer;
  readonly principal: Principal;
  readonly errors: unknown[];
  /** Advances the clock by a second to write the history; returns its entries, newest first. */
  flushHistory(): Promise<readonly HistoryEntry[]>;
}

/** Opens an engine that records a history of seven days, with a caller. */
export async function openHistory(
  options: Partial<EngineOptions> & { readonly email?: string; readonly requestsPerMinute?: number } = {},
): Promise<HistoryBench> {
  const { email = "ada@example.com", requestsPerMinute = 1000, ...engineOptions } = options;
  const clock = createFakeClock(NOON);
  const storage = engineOptions.storage ?? createMemoryStorage();
  const renderer = createFakeRenderer();
  const errors: unknown[] = [];
  const engine = openTestEngine({
    storage,
    renderer,
    clock,
    resolver: createFakeResolver({
      "example.com": ["93.184.215.14"],
      "inside.example.com": ["10.0.0.1"],
    }),
    historyRetentionMs: 7 * DAY_MS,
    onBackgroundError: (error) => errors.push(error),
    ...engineOptions,
  });
  onTestFinished(() => engine.close());
  return {
    engine,
    storage,
    clock,
    renderer,
    principal: await createPrincipal(engine, { email, requestsPerMinute }),
    errors,
    async flushHistory() {
      clock.advance(1000);
      await flushMicrotasks();
      return (await engine.history.page({ limit: 1000 })).entries;
    },
  };
}
