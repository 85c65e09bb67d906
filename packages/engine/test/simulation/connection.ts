import { NO_FAULTS, type CallFault } from "./fault-rates.ts";
import type { SimulatedProcess } from "./process.ts";
import { requestContext } from "./history.ts";
import type { World } from "./world.ts";

/** A process's call to the storage. */
export interface Call {
  /** As in `ledger.settle`. */
  readonly method: string;
  readonly request: unknown;
}

/** How often these calls fail, relative to others. */
const FAULT_FACTORS: Readonly<Record<string, number>> = {
  "ledger.settle": 3,
  "ledger.refund": 4,
  "ledger.reverse": 8,
  "batches.dueItems": 0.05,
  "batches.dueDeliveries": 0.05,
};
/** Most calls are polls, and most find nothing, so without a fault they take no time. */
const POLLS: ReadonlySet<string> = new Set(["batches.dueItems", "batches.dueDeliveries"]);
/** Faults that a method cannot have: Redis has a short timeout, and an insert is not retried blindly. */
const EXCLUDED: Readonly<Record<string, readonly CallFault[]>> = {
  "rateLimiter.consume": ["slow", "late", "repeated"],
  "batches.insert": ["repeated"],
  "history.append": ["repeated"],
};
const FAULTS: readonly CallFault[] = ["refused", "response-lost", "late", "repeated", "slow", "killed"];
const QUICK_CHANCE = 0.6;
const LATENCY_MAX_MS = 30;

/** The connection of one process to the shared storage, with faults. */
export class Connection {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  #outageEndsAt = 0;

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
  }

  /** Makes a call; `effect` runs it on the storage. */
  async makeCall<T>(call: Call, effect: () => Promise<T>): Promise<T> {
    const world = this.#world;
    const process = this.#process;
    if (!process.isAlive) return never();
    const fault = this.#drawFault(call.method);
    if (fault === null && POLLS.has(call.method)) return process.receive(0, await effect());
    const origin = { process: process.name, request: requestContext.getStore() ?? null };
    const apply = (outcome: string): Promise<T> => {
      world.trace?.(
        process.name,
        `${origin.request?.id ?? "-"} ${call.method} ${outcome} ${idsOf(call.request)}`,
      );
      world.origin = origin;
      return effect();
    };
    if (fault !== null) this.#recordFault(call, fault);
    switch (fault) {
      case null:
        return this.#succeed(apply);
      case "refused":
        await process.receive(this.#drawLatency());
        throw new Error("connection refused");
      case "response-lost":
        await this.#travel(this.#drawLatency());
        await apply("response-lost");
        await process.receive(this.#drawMoment());
        throw new Error("connection lost");
      case "late": {
        const delayMs = this.#drawMoment();
        void this.#applyLate(delayMs + this.#drawMoment(), apply);
        await process.receive(delayMs);
        throw new Error("no response in time");
      }
      case "repeated":
        await apply("repeated");
        await this.#travel(this.#drawMoment());
        return process.receive(0, await apply("repeated"));
      case "slow":
        await this.#travel(world.draw.between(1000, 60_000));
        return process.receive(0, await apply("slow"));
      case "killed":
        await this.#killDuring(apply);
        return never();
    }
  }

  async #applyLate(delayMs: number, apply: (outcome: string) => Promise<unknown>): Promise<void> {
    await this.#travel(delayMs);
    await apply("late");
  }

  /** Kills the process after the call takes effect, before it takes effect, or without any effect. */
  async #killDuring(apply: (outcome: string) => Promise<unknown>): Promise<void> {
    const effect = this.#world.draw.pick(["now", "late", "none"] as const);
    if (effect === "now") await apply("killed");
    if (effect === "late") void this.#applyLate(this.#drawMoment(), apply);
    this.#process.kill();
  }

  async #succeed<T>(apply: (outcome: string) => Promise<T>): Promise<T> {
    const process = this.#process;
    if (this.#world.draw.chance(QUICK_CHANCE)) return process.receive(0, await apply("ok"));
    await this.#travel(this.#drawLatency());
    // a call can arrive even if its process has ended
    if (!process.isAlive && this.#world.draw.chance(0.5)) return never();
    return process.receive(this.#drawLatency(), await apply("ok"));
  }

  /** Resolves when the call arrives at the storage, even if the process has ended. */
  async #travel(delayMs: number): Promise<void> {
    this.#world.inFlight += 1;
    await this.#world.timeline.pause(delayMs);
    this.#world.inFlight -= 1;
  }

  #drawFault(method: string): CallFault | null {
    const { draw, faults, timeline } = this.#world;
    if (faults === NO_FAULTS) return null;
    if (timeline.now < this.#outageEndsAt) return "refused";
    if (draw.chance(faults.suspension)) this.#process.suspend(draw.between(1000, 60_000));
    let number = draw.next() / (FAULT_FACTORS[method] ?? 1);
    for (const fault of FAULTS) {
      number -= faults.calls[fault];
      if (number >= 0) continue;
      if (EXCLUDED[method]?.includes(fault)) return null;
      if (fault !== "killed" && draw.chance(faults.outage))
        this.#outageEndsAt = timeline.now + this.#drawMoment();
      return fault;
    }
    return null;
  }

  #recordFault({ method, request }: Call, fault: CallFault): void {
    const { history, trace } = this.#world;
    const { batchId, reservationId, settle } = request as Record<string, string | undefined>;
    trace?.(this.#process.name, `${method} ${fault} ${idsOf(request)}`);
    history.recordDisturbancesOf(this.#process.name);
    if (batchId !== undefined) history.recordDisturbance(batchId);
    const affectedId = reservationId ?? settle;
    if (affectedId === undefined) return;
    history.faultsOf(affectedId).push(`${method} ${fault}`);
    if (method === "ledger.refund") this.#endSoon();
  }

  /** Sometimes ends the process within seconds: a credit might be charged by mistake, and only this process knows. */
  #endSoon(): void {
    const world = this.#world;
    const process = this.#process;
    if (world.draw.chance(0.7)) return;
    const end = world.draw.pick([() => void process.stop(), () => process.kill()]);
    world.timeline.after(world.draw.between(0, 3000), () => {
      if (world.faults !== NO_FAULTS) end();
    });
  }

  #drawLatency(): number {
    return this.#world.draw.between(0, LATENCY_MAX_MS);
  }

  /** Returns a delay that is usually short, and at most a minute. */
  #drawMoment(): number {
    const { draw } = this.#world;
    return draw.between(0, draw.pick([100, 100, 2000, 10_000, 60_000]));
  }
}

/** Never resolves. A new promise each time, because a shared one would retain everything that waits for it. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/** Returns the ids in a request, for the trace. */
function idsOf(request: unknown): string {
  const { batchId, reservationId, settle } = request as Record<string, string | undefined>;
  return [batchId, reservationId, settle].filter((id) => id !== undefined).join(" ");
}
