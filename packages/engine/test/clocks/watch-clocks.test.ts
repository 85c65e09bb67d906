import { createFakeClock, type FakeClock } from "@snap/testing";
import { expect, it } from "vitest";
import type { ClockSkew } from "../../src/clocks/clock-skew.ts";
import { watchClocks, type ClockWatch } from "../../src/clocks/watch-clocks.ts";
import type { ServerClock } from "../../src/ports/clock.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;

interface Fixture {
  readonly clock: FakeClock;
  readonly watch: ClockWatch;
  readonly reported: ClockSkew[];
}

/** Watches servers from a machine whose clock differs by `skewMs` from `START_MS`. */
function open(skewMs: number, ...reads: readonly ((clock: FakeClock) => Promise<number | null>)[]): Fixture {
  const clock = createFakeClock(START_MS + skewMs);
  const servers = reads.map((read, index): ServerClock => ({ name: `s${index}`, now: () => read(clock) }));
  const reported: ClockSkew[] = [];
  const watch = watchClocks({ clock, servers, onClockSkew: (skew) => reported.push(skew) });
  return { clock, watch, reported };
}

const accurate = async (): Promise<number> => START_MS;

it.each([0, 1000, -1000, HOUR_MS, -HOUR_MS])("measures a difference of %i ms", async (skewMs) => {
  const { watch } = open(skewMs, accurate);
  await watch.measured;
  expect(watch.skews()).toEqual([{ server: "s0", skewMs }]);
});

it.each([
  [500, 0],
  [501, 1],
  [-500, 0],
  [-501, 1],
])("reports a difference only if it is more than 500 ms: %i ms", async (skewMs, times) => {
  const { watch, reported } = open(skewMs, accurate);
  await watch.measured;
  expect(reported).toHaveLength(times);
});

it.each([
  [0, 0],
  [-800, 0],
  [200, 0],
  [700, 500],
  [-1000, -200],
])("measures %i ms as %i ms if the response takes a second", async (skewMs, measuredMs) => {
  const { watch } = open(skewMs, async (clock) => {
    clock.advance(1000);
    // the server read its clock after 200 ms
    return START_MS + 200;
  });
  await watch.measured;
  expect(watch.skews()).toEqual([{ server: "s0", skewMs: measuredMs }]);
});

it("measures every minute until it is stopped", async () => {
  let behindMs = 0;
  const { clock, watch, reported } = open(0, async (now) => now.now() - (behindMs += 600));
  await watch.measured;
  clock.advance(59_999);
  await flushMicrotasks();
  expect(reported).toHaveLength(1);
  clock.advance(1);
  await flushMicrotasks();
  expect(reported).toEqual([
    { server: "s0", skewMs: 600 },
    { server: "s0", skewMs: 1200 },
  ]);
  expect(watch.skews()).toEqual([{ server: "s0", skewMs: 1200 }]);
  watch.stop();
  clock.advance(60_000);
  await flushMicrotasks();
  expect(reported).toHaveLength(2);
});

it("omits servers that are unavailable", async () => {
  const { watch } = open(
    0,
    () => Promise.reject(new Error("connection refused")),
    () => Promise.resolve(null),
    accurate,
  );
  await watch.measured;
  expect(watch.skews()).toEqual([{ server: "s2", skewMs: 0 }]);
});
