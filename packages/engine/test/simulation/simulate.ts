import { createMemoryStorage } from "@snap/testing";
import type { Storage } from "../../src/ports/storage.ts";
import { createCustomers, type Customer } from "./customers.ts";
import { checkBatches, isOver } from "./check-batches.ts";
import { checkLimits } from "./check-limits.ts";
import { checkMoney, checkReversals } from "./check-money.ts";
import { Draw } from "./draw.ts";
import { drawCalmRates, drawFaultRates, NO_FAULTS } from "./fault-rates.ts";
import { History } from "./history.ts";
import { scheduleEvents, startProcess } from "./events.ts";
import { DURATIONS } from "./process.ts";
import { recordStorage } from "./recorded-storage.ts";
import { Timeline } from "./timeline.ts";
import { NOBODY, type Conditions, type Violation, type World } from "./world.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const CLOCK_BOUND_MS = 2000;
/** Longer than a suspended process, a slow call and the longest pause between two reversals together. */
const REVERSAL_MS = 150_000;

export interface SimulationOptions {
  /** Gets a line for each call and event. */
  readonly trace?: string[];
  /** Returns ports with a planted bug. */
  readonly plant?: (storage: Storage) => Partial<Storage>;
}

/** Runs the simulation of a seed; returns the first broken rule, or `null`. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Violation | null> {
  const world = createWorld(new Draw(seed), options);
  try {
    await run(world);
  } catch (error) {
    world.violate(String(error));
  }
  return world.violation;
}

async function run(world: World): Promise<void> {
  const { timeline } = world;
  const customers = await createCustomers(world);
  await serve(world, customers);
  await finishWork(world);
  if (world.violation !== null) return;
  // calls that are still in flight arrive, and all leases end
  await timeline.runUntil(() => false);
  await timeline.run(world.conditions.hasWildClocks ? 2 * HOUR_MS : 2 * DURATIONS.reservationLeaseMs);
  for (const customer of customers) {
    await checkMoney(world, customer);
    checkLimits(world, customer);
  }
  checkBatches(world, customers);
  checkRequests(world);
}

function createWorld(draw: Draw, { trace, plant = () => ({}) }: SimulationOptions): World {
  const timeline = new Timeline(START_MS);
  const conditions = drawConditions(draw);
  const note = (process: string, text: string): void => {
    trace?.push(`${((timeline.now - START_MS) / 1000).toFixed(3).padStart(9)} ${process.padEnd(8)} ${text}`);
  };
  const world: Omit<World, "storage"> = {
    conditions,
    draw,
    timeline,
    history: new History(),
    processes: [],
    faults: conditions.isCalm ? drawCalmRates(draw) : drawFaultRates(draw),
    inFlight: 0,
    origin: NOBODY,
    violation: null,
    violate(rule, ...ids) {
      if (world.violation !== null) return;
      note("", `* BROKEN: ${rule} ${ids.join(" ")}`);
      world.violation = { rule, ids };
    },
    note: trace === undefined ? null : note,
  };
  const memory = createMemoryStorage();
  return Object.assign(world, { storage: recordStorage(world as World, { ...memory, ...plant(memory) }) });
}

function drawConditions(draw: Draw): Conditions {
  const isCalm = draw.chance(0.15);
  return {
    isCalm,
    hasWildClocks: !isCalm && draw.chance(0.08),
    clockBoundMs: draw.pick([0, CLOCK_BOUND_MS]),
    retryWindowMs: draw.pick([90_000, 90_000, 90_000, 300_000]),
    hasLeases: draw.chance(0.8),
    hasSharedCache: draw.chance(0.5),
  };
}

/** Checks that without faults every request gets a response, and every rendering is charged. */
function checkRequests(world: World): void {
  const { conditions, history } = world;
  if (!conditions.isCalm) return;
  for (const { id, outcome } of history.requests)
    if (outcome === null) world.violate("a request gets no response", id);
  if (history.charged.size !== history.rendered.size) world.violate("a rendering is not charged");
}

/** Two to four processes serve clients, with faults. */
async function serve(world: World, customers: readonly Customer[]): Promise<void> {
  const { draw } = world;
  for (let count = draw.pick([2, 2, 3, 4]); count > 0; count -= 1) startProcess(world);
  const durationMs = draw.pick([2000, 10_000, 30_000]);
  scheduleEvents(world, customers, durationMs);
  await runUnlessViolated(world, durationMs);
  world.faults = NO_FAULTS;
}

/** Without faults, the processes finish the batches; or they end first, and a new process does. */
async function finishWork(world: World): Promise<void> {
  const { timeline, history, conditions, draw, processes } = world;
  const doContinue = !conditions.hasWildClocks && draw.chance(0.25);
  if (!doContinue) await endAll(world);
  await timeline.runUntil(() => world.violation !== null || world.inFlight === 0);
  if (conditions.hasWildClocks) await runUnlessViolated(world, 2 * HOUR_MS);
  if (processes.every(({ isAlive, isStopping, worker }) => !isAlive || isStopping || worker === null))
    startProcess(world, { hasWorker: true });
  const isLate = deadline(world, HOUR_MS);
  await timeline.runUntil(() => world.violation !== null || isOver(world) || isLate());
  if (!isOver(world)) world.violate("the batches do not finish", ...history.batches.keys());
  if (doContinue && draw.chance(0.3)) {
    await runUnlessViolated(world, REVERSAL_MS);
    checkReversals(world);
  }
  await endAll(world);
}

/** Stops or kills all processes. */
async function endAll(world: World): Promise<void> {
  const { conditions, draw, processes, timeline } = world;
  for (const process of processes) {
    if (!conditions.isCalm && draw.chance(0.3)) process.kill();
    void process.stop();
  }
  const haveEnded = (): boolean => processes.every(({ end }) => end !== null);
  const isLate = deadline(world, HOUR_MS);
  await timeline.runUntil(() => world.violation !== null || haveEnded() || isLate());
  if (!haveEnded()) world.violate("a process does not stop");
}

async function runUnlessViolated(world: World, durationMs: number): Promise<void> {
  const isOverdue = deadline(world, durationMs);
  await world.timeline.runUntil(() => isOverdue() || world.violation !== null);
}

function deadline({ timeline }: World, durationMs: number): () => boolean {
  let hasPassed = false;
  timeline.after(durationMs, () => {
    hasPassed = true;
  });
  return () => hasPassed;
}
