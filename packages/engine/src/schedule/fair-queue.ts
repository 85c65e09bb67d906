import type { QueueAddOptions } from "p-queue";

import type { Priority } from "../ports/render-leases.ts";

/** The account and priority of a waiting render. */
export interface QueuedRender {
  readonly accountId: string;
  readonly priority: Priority;
}

/** How many renders may run at once. */
export interface RenderLimits {
  /** Slots that are always available, however busy the processors are. */
  readonly slots: number;
  /** Slots, plus renders that are admitted while processors are idle. */
  readonly concurrency: number;
}

/** How many renders run and wait. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
  /** How many of them belong to batches. */
  readonly batch: { readonly running: number; readonly waiting: number };
}

type Job = () => Promise<unknown>;
type Waiting = { readonly id: string; readonly job: Job };
export type FairQueueOptions = QueueAddOptions & { readonly render?: QueuedRender };
type Running = Record<Priority, number>;

/** p-queue types the options as optional; the scheduler always passes them. */
const NO_ACCOUNT: QueuedRender = { accountId: "", priority: "interactive" };

/**
 * The queue behind p-queue: round robin over accounts, so that an account with many waiting renders delays the
 * others little; first in, first out within an account.
 *
 * One slot is reserved from an account that fills all the others, and one more from its batches. Beyond the slots a
 * render needs a permit, which the scheduler issues while processors are idle.
 */
export class FairQueue {
  readonly #limits: RenderLimits;
  readonly #running = new Map<string, Running>();
  #runningCount = 0;
  readonly #lines: Record<Priority, Map<string, Waiting[]>> = { interactive: new Map(), batch: new Map() };
  #waiting = 0;
  #permits = 0;

  constructor(limits: RenderLimits) {
    this.#limits = limits;
  }

  /** How many could run now; p-queue takes the next job only while this is above 0. */
  get size(): number {
    let size = 0;
    for (const [render, line] of this.#waitingRenders()) if (this.#mayRun(render)) size += line.length;
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

  /** Lets this many renders run beyond the slots; unused permits from before expire. */
  permit(renders: number): void {
    this.#permits = renders;
  }

  begin({ accountId, priority }: QueuedRender): void {
    const running = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    if (!this.#hasSlot({ accountId, priority })) this.#permits = Math.max(0, this.#permits - 1);
    running[priority] += 1;
    this.#runningCount += 1;
    this.#running.set(accountId, running);
  }

  end({ accountId, priority }: QueuedRender): void {
    const running = this.#running.get(accountId);
    if (running === undefined) return;
    running[priority] -= 1;
    this.#runningCount -= 1;
    if (running.interactive + running.batch === 0) this.#running.delete(accountId);
  }

  waitingOf(accountId: string): number {
    return this.#lengthOf("interactive", accountId) + this.#lengthOf("batch", accountId);
  }

  /** How many renders have their render before a new one of this account, which takes turns with the others. */
  ahead(render: QueuedRender): number {
    return this.#mayRun(render) ? 0 : this.#before(render);
  }

  #before({ accountId, priority }: QueuedRender): number {
    const own = this.#lengthOf(priority, accountId);
    let ahead = 0;
    for (const [render, line] of this.#waitingRenders()) {
      if (render.priority === priority) ahead += Math.min(line.length, own + 1);
      else if (render.priority === "interactive") ahead += line.length;
    }
    return ahead;
  }

  enqueue(job: Job, { render = NO_ACCOUNT, id = "" }: FairQueueOptions = {}): void {
    const { accountId, priority } = render;
    const lines = this.#lines[priority];
    const line = lines.get(accountId);
    if (line === undefined) lines.set(accountId, [{ id, job }]);
    else line.push({ id, job });
    this.#waiting += 1;
  }

  dequeue(): Job | undefined {
    for (const [render, line] of this.#waitingRenders()) {
      if (!this.#mayRun(render)) continue;
      const next = line.shift();
      // The account goes to the end of the round if it has more.
      const lines = this.#lines[render.priority];
      lines.delete(render.accountId);
      if (line.length > 0) lines.set(render.accountId, line);
      if (next === undefined) continue;
      this.#waiting -= 1;
      return next.job;
    }
    return undefined;
  }

  remove(id: string): void {
    for (const [{ accountId, priority }, line] of this.#waitingRenders()) {
      const index = line.findIndex((waiting) => waiting.id === id);
      if (index === -1) continue;
      line.splice(index, 1);
      if (line.length === 0) this.#lines[priority].delete(accountId);
      this.#waiting -= 1;
      return;
    }
  }

  /** Makes a waiting batch render interactive; returns whether it was still waiting. */
  raise(id: string): boolean {
    for (const [accountId, line] of this.#lines.batch) {
      const waiting = line.find((candidate) => candidate.id === id);
      if (waiting === undefined) continue;
      this.remove(id);
      this.enqueue(waiting.job, { render: { accountId, priority: "interactive" }, id });
      return true;
    }
    return false;
  }

  filter({ render = NO_ACCOUNT }: FairQueueOptions): Job[] {
    return [...this.#lines[render.priority].values()].flat().map((waiting) => waiting.job);
  }

  /** p-queue requires the method; here the round decides. */
  setPriority(): void {}

  *#waitingRenders(): Generator<readonly [QueuedRender, Waiting[]]> {
    for (const priority of ["interactive", "batch"] as const)
      for (const [accountId, line] of this.#lines[priority]) yield [{ accountId, priority }, line];
  }

  #lengthOf(priority: Priority, accountId: string): number {
    return this.#lines[priority].get(accountId)?.length ?? 0;
  }

  #mayRun(render: QueuedRender): boolean {
    const { concurrency } = this.#limits;
    if (this.#runningCount >= concurrency || this.#runningOf(render) >= leaveOne(concurrency)) return false;
    return this.#hasSlot(render) || this.#permits > 0;
  }

  /**
   * Whether a slot is free for it. An account counts with no more than its share of the slots, so that the many
   * pages of one do not keep another from its share.
   */
  #hasSlot(render: QueuedRender): boolean {
    const share = leaveOne(this.#limits.slots);
    const batchShare = leaveOne(share);
    const own = this.#running.get(render.accountId) ?? { interactive: 0, batch: 0 };
    const isOut =
      render.priority === "batch"
        ? own.interactive + own.batch >= batchShare
        : own.interactive + Math.min(own.batch, batchShare) >= share;
    if (isOut) return false;
    const accounts = this.#running.size + (this.#running.has(render.accountId) ? 0 : 1);
    const part = accounts === 1 ? share : Math.max(1, Math.floor(this.#limits.slots / accounts));
    let taken = 0;
    for (const { interactive, batch } of this.#running.values()) taken += Math.min(interactive + batch, part);
    return taken < this.#limits.slots;
  }

  #runningOf({ accountId }: QueuedRender): number {
    const { interactive, batch } = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    return interactive + batch;
  }
}

function leaveOne(slots: number): number {
  return Math.max(1, slots - 1);
}
