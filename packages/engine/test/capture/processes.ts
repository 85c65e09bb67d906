import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createMemoryRenderLeases,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { onTestFinished } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { openTestEngine } from "../open-test-engine.ts";

/** A simulated process with its own engine. */
export interface Process {
  readonly engine: Engine;
  readonly renderer: FakeRenderer;
}

/** Simulated processes with shared storage and a manual clock. */
export interface Processes {
  readonly clock: FakeClock;
  readonly storage: Storage;
  open(ownClock?: FakeClock): Process;
  /** Advances the clock in steps until the work is done. */
  runToCompletion<T>(work: Promise<T>): Promise<T>;
}

let engineCount = 0;

export function createProcesses(): Processes {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const memory = createMemoryStorage();
  const { ledger, renderings, rateLimiter } = memory;
  // copies, so a test that counts calls does not count those between ports
  const ports = { ledger: { ...ledger }, renderings: { ...renderings }, rateLimiter: { ...rateLimiter } };
  const storage = { ...memory, ...ports, renderLeases: createMemoryRenderLeases(clock.now) };
  return {
    clock,
    storage,
    open(ownClock = clock) {
      const renderer = createFakeRenderer();
      const random = createFakeRandom((engineCount += 1));
      const engine = openTestEngine({ storage, renderer, clock: ownClock, random });
      onTestFinished(() => engine.close());
      return { engine, renderer };
    },
    async runToCompletion(work) {
      let isDone = false;
      const settled = work.finally(() => {
        isDone = true;
      });
      // handles a rejection before it is awaited
      settled.catch(() => {});
      while (!isDone) {
        await flushMicrotasks();
        clock.advance(50);
      }
      return settled;
    },
  };
}
