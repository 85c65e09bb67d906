import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryRenderLeases,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { onTestFinished } from "vitest";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { microtasks } from "../batches/open-engine.ts";

/** An engine in a process of its own, as far as the others can see. */
export interface Process {
  readonly engine: Engine;
  readonly renderer: FakeRenderer;
}

/** Processes over one storage, whose time passes by hand. */
export interface Processes {
  readonly clock: FakeClock;
  readonly storage: Storage;
  open(ownClock?: FakeClock): Process;
  /** Lets time pass in steps until the work is done. */
  finished<T>(work: Promise<T>): Promise<T>;
}

let opened = 0;

export function shareStorage(): Processes {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const memory = createMemoryStorage();
  const { ledger, renderings, rateLimiter } = memory;
  // Copies, so that a test that counts calls doesn't see those of one port to another.
  const ports = { ledger: { ...ledger }, renderings: { ...renderings }, budgets: { ...rateLimiter } };
  const storage = { ...memory, ...ports, renderLeases: createMemoryRenderLeases(clock.now) };
  return {
    clock,
    storage,
    open(ownClock = clock) {
      const renderer = createFakeRenderer();
      const engine = createEngine({
        storage,
        renderer,
        secretKey: "a key for these tests",
        clock: ownClock,
        random: createFakeRandom((opened += 1)),
        resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
      });
      onTestFinished(() => engine.close());
      return { engine, renderer };
    },
    async finished(work) {
      let isDone = false;
      const settled = work.finally(() => {
        isDone = true;
      });
      // It may fail while time still passes.
      settled.catch(() => {});
      while (!isDone) {
        await microtasks();
        clock.advance(50);
      }
      return settled;
    },
  };
}
