import type { QueueAddOptions } from "p-queue";

import type { Urgency } from "../ports/flights.ts";

/** Whose turn it is: what a waiting job is queued under. */
export interface Turn {
  readonly accountId: string;
  readonly urgency: Urgency;
}

/** How many renders may run at once. */
export interface RenderBounds {
  /** Slots that are always there, whatever the processors do. */
  readonly slots: number;
  /** With those that are admitted because processors are idle. */
  readonly concurrency: number;
}

/** How many renders run and wait. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
  /** Those of them that belong to batches. */
  readonly batch: { readonly running: number; readonly waiting: number };
}

type Job = () => Promise<unknown>;
type Waiting = { readonly id: string; readonly job: Job };
export type FairQueueOptions = QueueAddOptions & Partial<Turn>;
type Running = Record<Urgency, number>;

/**
 * The queue behind p-queue: accounts take turns (round robin), so that one with many waiting renders
 * delays another little; within an account first come, first served.
 *
 * One slot is kept from an account that fills all the others, and one more from its batches. Beyond the
 * slots a render needs a permit, which the scheduler gives out while processors are idle.
 */
export class FairQueue {
  readonly #bounds: RenderBounds;
  readonly #running = new Map<string, Running>();
  #runningCount = 0;
  readonly #lines: Record<Urgency, Map<string, Waiting[]>> = { interactive: new Map(), batch: new Map() };
  #waiting = 0;
  #permits = 0;

  constructor(bounds: RenderBounds) {
    this.#bounds = bounds;
  }

  /** How many could run now; p-queue asks for the next job only while there are any. */
  get size(): number {
    let size = 0;
    for (const [turn, line] of this.#turns()) if (this.#mayRun(turn)) size += line.length;
    return size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  load(): QueueLoad {
    const running = { interactive: 0, batch: 0 };
    for (const { interactive, batch } of this.#running.values()) {
      running.interactive += interactive;
      running.batch += batch;
    }
    let batchWaiting = 0;
    for (const line of this.#lines.batch.values()) batchWaiting += line.length;
    return {
      running: running.interactive + running.batch,
      waiting: this.#waiting,
      batch: { running: running.batch, waiting: batchWaiting },
    };
  }

  /** Lets so many renders run beyond the slots; replaces what was left of the last permits. */
  permit(renders: number): void {
    this.#permits = renders;
  }

  begin({ accountId, urgency }: Turn): void {
    const running = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    if (!this.#hasSlot({ accountId, urgency })) this.#permits = Math.max(0, this.#permits - 1);
    running[urgency] += 1;
    this.#runningCount += 1;
    this.#running.set(accountId, running);
  }

  end({ accountId, urgency }: Turn): void {
    const running = this.#running.get(accountId);
    if (running === undefined) return;
    running[urgency] -= 1;
    this.#runningCount -= 1;
    if (running.interactive + running.batch === 0) this.#running.delete(accountId);
  }

  waitingOf(accountId: string): number {
    return this.#lengthOf("interactive", accountId) + this.#lengthOf("batch", accountId);
  }

  /** How many renders have their turn before a new one of this account, which takes turns with the others. */
  ahead(turn: Turn): number {
    return this.#mayRun(turn) ? 0 : this.#before(turn);
  }

  #before({ accountId, urgency }: Turn): number {
    const own = this.#lengthOf(urgency, accountId);
    let ahead = 0;
    for (const [turn, line] of this.#turns()) {
      if (turn.urgency === urgency) ahead += Math.min(line.length, own + 1);
      else if (turn.urgency === "interactive") ahead += line.length;
    }
    return ahead;
  }

  enqueue(job: Job, { accountId = "", urgency = "interactive", id = "" }: FairQueueOptions = {}): void {
    const lines = this.#lines[urgency];
    const line = lines.get(accountId);
    if (line === undefined) lines.set(accountId, [{ id, job }]);
    else line.push({ id, job });
    this.#waiting += 1;
  }

  dequeue(): Job | undefined {
    for (const [turn, line] of this.#turns()) {
      if (!this.#mayRun(turn)) continue;
      const next = line.shift();
      // The account goes to the back of the round, if it has more.
      const lines = this.#lines[turn.urgency];
      lines.delete(turn.accountId);
      if (line.length > 0) lines.set(turn.accountId, line);
      if (next === undefined) continue;
      this.#waiting -= 1;
      return next.job;
    }
    return undefined;
  }

  remove(id: string): void {
    for (const [{ accountId, urgency }, line] of this.#turns()) {
      const index = line.findIndex((waiting) => waiting.id === id);
      if (index === -1) continue;
      line.splice(index, 1);
      if (line.length === 0) this.#lines[urgency].delete(accountId);
      this.#waiting -= 1;
      return;
    }
  }

  /** Makes a waiting batch render interactive; answers whether it still waited. */
  hurry(id: string): boolean {
    for (const [accountId, line] of this.#lines.batch) {
      const waiting = line.find((candidate) => candidate.id === id);
      if (waiting === undefined) continue;
      this.remove(id);
      this.enqueue(waiting.job, { accountId, urgency: "interactive", id });
      return true;
    }
    return false;
  }

  filter({ urgency = "interactive" }: FairQueueOptions): Job[] {
    return [...this.#lines[urgency].values()].flat().map((waiting) => waiting.job);
  }

  /** Turns decide here, not priorities; p-queue asks for the method all the same. */
  setPriority(): void {}

  *#turns(): Generator<readonly [Turn, Waiting[]]> {
    for (const urgency of ["interactive", "batch"] as const)
      for (const [accountId, line] of this.#lines[urgency]) yield [{ accountId, urgency }, line];
  }

  #lengthOf(urgency: Urgency, accountId: string): number {
    return this.#lines[urgency].get(accountId)?.length ?? 0;
  }

  #mayRun(turn: Turn): boolean {
    const { concurrency } = this.#bounds;
    if (this.#runningCount >= concurrency || this.#runningOf(turn) >= leaveOne(concurrency)) return false;
    return this.#hasSlot(turn) || this.#permits > 0;
  }

  /**
   * Whether one of the slots is free for it. Of what an account runs, no more counts than its part of the
   * slots, beside the others that run or ask now: many pages of one do not keep another from its part.
   */
  #hasSlot(turn: Turn): boolean {
    const share = leaveOne(this.#bounds.slots);
    const batchShare = leaveOne(share);
    const own = this.#running.get(turn.accountId) ?? { interactive: 0, batch: 0 };
    const isOut =
      turn.urgency === "batch"
        ? own.interactive + own.batch >= batchShare
        : own.interactive + Math.min(own.batch, batchShare) >= share;
    if (isOut) return false;
    const accounts = this.#running.size + (this.#running.has(turn.accountId) ? 0 : 1);
    const part = accounts === 1 ? share : Math.max(1, Math.floor(this.#bounds.slots / accounts));
    let taken = 0;
    for (const { interactive, batch } of this.#running.values()) taken += Math.min(interactive + batch, part);
    return taken < this.#bounds.slots;
  }

  #runningOf({ accountId }: Turn): number {
    const { interactive, batch } = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    return interactive + batch;
  }
}

function leaveOne(slots: number): number {
  return Math.max(1, slots - 1);
}
