import { sendCapture, submitBatch, pickProcess } from "./clients.ts";
import { changePlan, type TestAccount } from "./test-accounts.ts";
import { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** Once this many processes have been started, `replaceEnded` starts another only if none is alive. */
const MAX_PROCESSES = 6;

/** Schedules what clients, operators and the machines do in the next `durationMs`. */
export function scheduleEvents(world: World, accounts: readonly TestAccount[], durationMs: number): void {
  const { draw, timeline, conditions } = world;
  const schedule = (count: number, act: () => void): void => {
    for (let index = 0; index < count; index += 1) timeline.after(draw.between(0, durationMs), act);
  };
  schedule(draw.between(2, 10), () => sendBurst(world, draw.pick(accounts)));
  schedule(draw.pick([0, 1, 1, 2, 3]), () => {
    const process = pickProcess(world);
    if (process !== null) void submitBatch(world, process, draw.pick(accounts));
  });
  if (draw.chance(0.2)) schedule(draw.between(1, 3), () => void changePlan(world, draw.pick(accounts)));
  if (draw.chance(0.5)) schedule(draw.between(1, 4), () => setClock(world, conditions.clockBoundMs));
  if (conditions.hasWildClocks) schedule(1, () => setClock(world, HOUR_MS));
  if (draw.chance(0.3)) schedule(draw.between(1, 2), () => void pickProcess(world)?.stop());
  if (!conditions.isCalm && draw.chance(0.5)) schedule(draw.between(1, 2), () => pickProcess(world)?.kill());
  schedule(Math.ceil(durationMs / 4000), () => replaceEnded(world));
}

/** Sends one request, or three at once. */
function sendBurst(world: World, account: TestAccount): void {
  const { draw } = world;
  for (let count = draw.pick([1, 1, 1, 3]); count > 0; count -= 1) {
    const process = pickProcess(world);
    if (process !== null) sendCapture(world, process, account);
  }
}

/** Sets a process's clock to within `boundMs` of the true time. */
function setClock(world: World, boundMs: number): void {
  const process = pickProcess(world);
  if (process === null) return;
  process.clockOffsetMs = world.draw.between(-boundMs, boundMs);
  world.trace?.(process.name, `* sets its clock to ${process.clockOffsetMs} ms from the true time`);
}

/** Starts another process if none is left, and usually if one has ended. */
function replaceEnded(world: World): void {
  const { processes, draw } = world;
  const ended = processes.filter(({ isAlive }) => !isAlive).length;
  const canReplace = ended > 0 && processes.length < MAX_PROCESSES;
  if (ended === processes.length || (canReplace && draw.chance(0.7))) startProcess(world);
}

export function startProcess(world: World, options: { readonly hasWorker?: boolean } = {}): SimulatedProcess {
  const { draw, conditions, processes } = world;
  const process = new SimulatedProcess(world, {
    name: `p${processes.length + 1}`,
    clockOffsetMs: draw.between(-conditions.clockBoundMs, conditions.clockBoundMs),
    hasWorker: options.hasWorker ?? draw.chance(0.7),
  });
  processes.push(process);
  return process;
}
