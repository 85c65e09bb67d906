import { createMemoryStorage } from "@snap/testing";
import type { Storage } from "../../src/ports/storage.ts";
import { createTestAccounts, type TestAccount } from "./test-accounts.ts";
import { checkBatches, isWorkDone } from "./check-batches.ts";
import { checkHistory } from "./check-history.ts";
import { checkLimits } from "./check-limits.ts";
import { checkLedger, checkReversals } from "./check-ledger.ts";
import { SeededRandom } from "./seeded-random.ts";
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
/** Longer than the longest suspension, slowest call and longest delay between reversal attempts, in total. */
const REVERSAL_MS = 160_000;

export interface SimulationOptions {
  /** Receives a line for each call and event. */
  readonly trace?: string[];
  /** Returns ports with a planted bug. */
  readonly plantBug?: (storage: Storage) => Partial<Storage>;
}

/** Runs the simulation for a seed; returns the first violation, or `null`. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Violation | null> {
  const world = createWorld(new SeededRandom(seed), options);
  try {
    await run(world);
  } catch (error) {
    world.reportViolation(String(error));
  }
  return world.violation;
}

async function run(world: World): Promise<void> {
  const { timeline } = world;
  const accounts = await createTestAccounts(world);
  await serve(world, accounts);
  await finishWork(world);
  if (world.violation !== null) return;
  // calls that are still in flight arrive, and all leases expire
  await timeline.runToEnd();
  await timeline.run(world.conditions.hasWildClocks ? 2 * HOUR_MS : 2 * DURATIONS.reservationLeaseMs);
  for (const account of accounts) {
    await checkLedger(world, account);
    await checkHistory(world, account);
    checkLimits(world, account);
  }
  checkBatches(world, accounts);
  checkRequests(world);
}

function createWorld(draw: SeededRandom, { trace, plantBug = () => ({}) }: SimulationOptions): World {
  const timeline = new Timeline(START_MS);
  const conditions = drawConditions(draw);
  const addLine = (process: string, text: string): void => {
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
    reportViolation(message, ...ids) {
      if (world.violation !== null) return;
      addLine("", `* BROKEN: ${message} ${ids.join(" ")}`);
      world.violation = { message, ids };
    },
    trace: trace === undefined ? null : addLine,
  };
  const memory = createMemoryStorage();
  return Object.assign(world, { storage: recordStorage(world as World, { ...memory, ...plantBug(memory) }) });
}

function drawConditions(draw: SeededRandom): Conditions {
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
    if (outcome === null) world.reportViolation("a request gets no response", id);
  if (history.charged.size !== history.rendered.size) world.reportViolation("a rendering is not charged");
}

/** Lets processes, at first two to four, serve clients, usually with faults. */
async function serve(world: World, accounts: readonly TestAccount[]): Promise<void> {
  const { draw } = world;
  for (let count = draw.pick([2, 2, 3, 4]); count > 0; count -= 1) startProcess(world);
  const durationMs = draw.pick([2000, 10_000, 30_000]);
  scheduleEvents(world, accounts, durationMs);
  await runFor(world, durationMs);
  world.faults = NO_FAULTS;
}

/** Without faults, lets the processes finish the batches, or replaces them with one that does. */
async function finishWork(world: World): Promise<void> {
  const { timeline, history, conditions, draw, processes } = world;
  const keepsProcesses = !conditions.hasWildClocks && draw.chance(0.25);
  if (!keepsProcesses) await endAll(world);
  await timeline.runUntil(() => world.violation !== null || world.inFlight === 0);
  if (conditions.hasWildClocks) await runFor(world, 2 * HOUR_MS);
  if (processes.every(({ isAlive, isStopping, worker }) => !isAlive || isStopping || worker === null))
    startProcess(world, { hasWorker: true });
  const isOverdue = deadline(world, HOUR_MS);
  await timeline.runUntil(() => world.violation !== null || isWorkDone(world) || isOverdue());
  if (!isWorkDone(world)) world.reportViolation("the batches do not finish", ...history.batches.keys());
  if (keepsProcesses && draw.chance(0.3)) {
    await runFor(world, REVERSAL_MS);
    checkReversals(world);
  }
  await endAll(world);
}

/** Stops or kills all processes. */
async function endAll(world: World): Promise<void> {
  const { conditions, draw, processes, timeline } = world;
  for (const process of processes) {
    if (!conditions.isCalm && draw.chance(0.3)) process.kill();
    else void process.stop();
  }
  const haveEnded = (): boolean => processes.every(({ end }) => end !== null);
  const isOverdue = deadline(world, HOUR_MS);
  await timeline.runUntil(() => world.violation !== null || haveEnded() || isOverdue());
  if (!haveEnded()) world.reportViolation("a process does not stop");
}

/** Runs the events in the next `durationMs`; stops at a violation. */
async function runFor(world: World, durationMs: number): Promise<void> {
  const isOverdue = deadline(world, durationMs);
  await world.timeline.runUntil(() => isOverdue() || world.violation !== null);
}

/** Returns a function that returns whether `durationMs` have passed since this call. */
function deadline({ timeline }: World, durationMs: number): () => boolean {
  let hasPassed = false;
  timeline.after(durationMs, () => {
    hasPassed = true;
  });
  return () => hasPassed;
}
