import { createFakeClock, createFakeRenderer, createMemoryStorage, type FakeClock } from "@snap/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Engine } from "../src/index.ts";
import type { Renderer, Storage } from "../src/ports/index.ts";
import { flushMicrotasks } from "./batches/open-engine.ts";
import { openTestEngine } from "./open-test-engine.ts";

const hang = (): Promise<never> => new Promise(() => {});

interface Fixture {
  readonly engine: Engine;
  readonly clock: FakeClock;
}

function open(storage: Partial<Storage>, renderer: Partial<Renderer> = {}): Fixture {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const engine = openTestEngine({
    storage: { ...createMemoryStorage(), ...storage },
    renderer: { ...createFakeRenderer(), ...renderer },
    clock,
  });
  onTestFinished(() => engine.close());
  return { engine, clock };
}

async function reasonsOf({ engine, clock }: Fixture): Promise<readonly string[]> {
  const health = engine.health();
  // the checks that do not hang respond first
  await flushMicrotasks();
  clock.advance(1_500);
  const { ready, reasons } = await health;
  expect(ready).toBe(reasons.length === 0);
  return reasons;
}

describe("an engine's health check", () => {
  it("does not wait longer than 1.5 s, and names the dependencies that did not respond", async () => {
    const clocks = ["PostgreSQL", "Redis"].map((name) => ({ name, now: hang }));
    const late = "no response within 1.5 s";
    expect(await reasonsOf(open({ check: hang }))).toEqual([`storage: ${late}`]);
    expect(await reasonsOf(open({}, { health: hang }))).toEqual([`renderer: ${late}`]);
    expect(await reasonsOf(open({ clocks }))).toEqual([
      `clock: not compared with PostgreSQL and Redis yet: ${late}`,
    ]);
  });

  it("reports why each address refused a connection", async () => {
    const errors = ["127.0.0.1:9", "::1:9"].map((address) => new Error(`connect ECONNREFUSED ${address}`));
    const check = (): Promise<never> => Promise.reject(new AggregateError(errors));
    expect(await open({ check }).engine.health()).toMatchObject({
      reasons: ["storage: connect ECONNREFUSED 127.0.0.1:9; connect ECONNREFUSED ::1:9"],
    });
  });

  it("joins a check that is still running, and recovers", async () => {
    const checks: PromiseWithResolvers<void>[] = [];
    const check = (): Promise<void> => {
      const call = Promise.withResolvers<void>();
      checks.push(call);
      return call.promise;
    };
    const opened = open({ check });
    for (let repeat = 0; repeat < 3; repeat += 1) expect(await reasonsOf(opened)).toHaveLength(1);
    expect(checks).toHaveLength(1);
    const joined = opened.engine.health();
    checks[0]?.resolve();
    expect((await joined).ready).toBe(true);
    const next = opened.engine.health();
    expect(checks).toHaveLength(2);
    checks[1]?.reject(new Error("the disk is full"));
    expect((await next).reasons).toEqual(["storage: the disk is full"]);
  });
});
