import type { Queue, QueueAddOptions } from "p-queue";

import type { Priority } from "../ports/render-leases.ts";

/** The account and priority of a render. */
export interface ScheduledRender {
  readonly accountId: string;
  readonly priority: Priority;
}

/** How many renders can run concurrently. */
export interface RenderLimits {
  /** Slots that are always available, however busy the cores are. */
  readonly slots: number;
  /** Maximum running renders: the slots, plus those admitted while cores are idle. */
  readonly concurrency: number;
}

/** Running and waiting renders. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
  /** Batch renders; `waiting` excludes accounts in quarantine. */
  readonly batch: { readonly running: number; readonly waiting: number };
  /** Waiting renders of accounts in quarantine. They delay no other account. */
  readonly quarantined: { readonly waiting: number };
}

/** Returns whether an account is in quarantine. */
export type IsQuarantined = (accountId: string) => boolean;
export type FairQueueOptions = QueueAddOptions & { readonly render?: ScheduledRender };

type Job = () => Promise<unknown>;
type WaitingJob = { readonly id: string; readonly job: Job };
type JobQueue = readonly [ScheduledRender, WaitingJob[]];
type RunningCounts = Record<Priority, number>;

/** All accounts in quarantine together get one slot in four, so they cannot take all slots. */
const SLOTS_PER_QUARANTINED_RENDER = 4;

/** p-queue types the options as optional; the scheduler always passes them. */
const NO_ACCOUNT: ScheduledRender = { accountId: "", priority: "interactive" };

/**
 * The queue that p-queue uses: round robin across accounts, so an account with many waiting renders hardly delays the
 * others; first in, first out within an account. Accounts in quarantine come last, with one render at a time each.
 *
 * An account leaves one slot free, and its batches leave one more, unless there are too few slots. Beyond the slots, a
 * render needs a permit, which the scheduler issues while cores are idle.
 */
export class FairQueue implements Queue<Job, FairQueueOptions> {
  readonly #limits: RenderLimits;
  readonly #isQuarantined: IsQuarantined;
  readonly #running = new Map<string, RunningCounts>();
  #runningTotal = 0;
  readonly #queues: Record<Priority, Map<string, WaitingJob[]>> = {
    interactive: new Map(),
    batch: new Map(),
  };
  #waitingTotal = 0;
  #permits = 0;

  constructor(limits: RenderLimits, isQuarantined: IsQuarantined) {
    this.#limits = limits;
    this.#isQuarantined = isQuarantined;
  }

  get waiting(): number {
    return this.#waitingTotal;
  }

  /** Number of waiting renders of accounts that are not in quarantine. */
  get waitingOutsideQuarantine(): number {
    return this.#waitingTotal - this.load().quarantined.waiting;
  }

  load(): QueueLoad {
    const running = { interactive: 0, batch: 0 };
    for (const { interactive, batch } of this.#running.values()) {
      running.interactive += interactive;
      running.batch += batch;
    }
    let [batchWaiting, quarantinedWaiting] = [0, 0];
    for (const [{ accountId, priority }, jobs] of this.#queuesInOrder()) {
      if (this.#isQuarantined(accountId)) quarantinedWaiting += jobs.length;
      else if (priority === "batch") batchWaiting += jobs.length;
    }
    return {
      running: running.interactive + running.batch,
      waiting: this.#waitingTotal,
      batch: { running: running.batch, waiting: batchWaiting },
      quarantined: { waiting: quarantinedWaiting },
    };
  }

  /**
   * Number of waiting interactive renders that would start before a batch item of one more account: not those in
   * quarantine, and not those of accounts that would already have their fair share.
   */
  get competingCount(): number {
    const fairShare = this.#fairShare(this.#running.size + 1);
    let competing = 0;
    for (const [accountId, { length }] of this.#queues.interactive)
      if (!this.#isQuarantined(accountId))
        competing += Math.min(length, Math.max(0, fairShare - this.#runningOf(accountId)));
    return competing;
  }

  /** Returns the accounts in quarantine that cannot start another render, because they have one running or waiting. */
  busyQuarantinedAccounts(): readonly string[] {
    const { interactive, batch } = this.#queues;
    const accounts = new Set([...this.#running.keys(), ...interactive.keys(), ...batch.keys()]);
    return [...accounts].filter((accountId) => this.#isQuarantined(accountId));
  }

  /** Allows this many renders to run beyond the slots; earlier permits expire. */
  setPermits(renders: number): void {
    this.#permits = renders;
  }

  begin({ accountId, priority }: ScheduledRender): void {
    const running = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    if (!this.#hasSlot({ accountId, priority })) this.#permits = Math.max(0, this.#permits - 1);
    running[priority] += 1;
    this.#runningTotal += 1;
    this.#running.set(accountId, running);
  }

  end({ accountId, priority }: ScheduledRender): void {
    const running = this.#running.get(accountId);
    if (running === undefined) return;
    running[priority] -= 1;
    this.#runningTotal -= 1;
    if (running.interactive + running.batch === 0) this.#running.delete(accountId);
  }

  waitingOf(accountId: string): number {
    return this.#lengthOf("interactive", accountId) + this.#lengthOf("batch", accountId);
  }

  /** Number of waiting renders that would run before a new one. */
  countAhead(render: ScheduledRender): number {
    if (this.#mayRun(render)) return 0;
    const own = this.#lengthOf(render.priority, render.accountId);
    const rank = this.#rankOf(render);
    let ahead = 0;
    for (const [waiting, jobs] of this.#queuesInOrder()) {
      const waitingRank = this.#rankOf(waiting);
      // accounts of the same rank take turns
      if (waitingRank === rank) ahead += Math.min(jobs.length, own + 1);
      else if (waitingRank < rank) ahead += jobs.length;
    }
    return ahead;
  }

  /** Makes a waiting batch render interactive; returns whether it was still waiting. */
  raise(id: string): boolean {
    for (const [accountId, jobs] of this.#queues.batch) {
      const waiting = jobs.find((candidate) => candidate.id === id);
      if (waiting === undefined) continue;
      this.remove(id);
      this.enqueue(waiting.job, { render: { accountId, priority: "interactive" }, id });
      return true;
    }
    return false;
  }

  // p-queue uses the members from here to `setPriority`.

  /** Number of waiting renders whose account may start one now; p-queue starts none while this is 0. */
  get size(): number {
    let size = 0;
    for (const [render, jobs] of this.#queuesInOrder()) if (this.#mayRun(render)) size += jobs.length;
    return size;
  }

  enqueue(job: Job, { render = NO_ACCOUNT, id = "" }: FairQueueOptions = {}): void {
    const { accountId, priority } = render;
    const queues = this.#queues[priority];
    const jobs = queues.get(accountId);
    if (jobs === undefined) queues.set(accountId, [{ id, job }]);
    else jobs.push({ id, job });
    this.#waitingTotal += 1;
  }

  dequeue(): Job | undefined {
    for (const [render, jobs] of this.#queuesInOrder()) {
      if (!this.#mayRun(render)) continue;
      const next = jobs.shift();
      // an account that still has waiting renders goes to the end of the round
      const queues = this.#queues[render.priority];
      queues.delete(render.accountId);
      if (jobs.length > 0) queues.set(render.accountId, jobs);
      if (next === undefined) continue;
      this.#waitingTotal -= 1;
      return next.job;
    }
    return undefined;
  }

  remove(id: string): void {
    for (const [{ accountId, priority }, jobs] of this.#queuesInOrder()) {
      const index = jobs.findIndex((waiting) => waiting.id === id);
      if (index === -1) continue;
      jobs.splice(index, 1);
      if (jobs.length === 0) this.#queues[priority].delete(accountId);
      this.#waitingTotal -= 1;
      return;
    }
  }

  filter({ render = NO_ACCOUNT }: FairQueueOptions): Job[] {
    return [...this.#queues[render.priority].values()].flat().map((waiting) => waiting.job);
  }

  /** Does nothing, because the order does not depend on p-queue's priorities. */
  setPriority(): void {}

  /** Returns all accounts' queues, in the order in which their renders run. */
  #queuesInOrder(): readonly JobQueue[] {
    const queues = (["interactive", "batch"] as const).flatMap((priority) =>
      [...this.#queues[priority]].map(([accountId, jobs]): JobQueue => [{ accountId, priority }, jobs]),
    );
    return queues.toSorted(([left], [right]) => this.#rankOf(left) - this.#rankOf(right));
  }

  /** Renders with a lower rank run first. */
  #rankOf({ accountId, priority }: ScheduledRender): number {
    return (this.#isQuarantined(accountId) ? 2 : 0) + (priority === "batch" ? 1 : 0);
  }

  #lengthOf(priority: Priority, accountId: string): number {
    return this.#queues[priority].get(accountId)?.length ?? 0;
  }

  #mayRun(render: ScheduledRender): boolean {
    const { concurrency } = this.#limits;
    if (this.#runningTotal >= concurrency) return false;
    const own = this.#runningOf(render.accountId);
    const isQuarantined = this.#isQuarantined(render.accountId);
    if (isQuarantined && (own > 0 || this.#isQuarantineFull())) return false;
    if (!isQuarantined && own >= leaveOne(concurrency)) return false;
    return this.#hasSlot(render) || this.#permits > 0;
  }

  #isQuarantineFull(): boolean {
    const quarantined = [...this.#running.keys()].filter((accountId) => this.#isQuarantined(accountId));
    const running = quarantined.reduce((total, accountId) => total + this.#runningOf(accountId), 0);
    return running >= Math.max(1, Math.floor(this.#limits.slots / SLOTS_PER_QUARANTINED_RENDER));
  }

  /**
   * Returns whether a slot is free for the render. Each account counts as using at most its fair share, so one with
   * many renders does not starve another.
   */
  #hasSlot({ accountId, priority }: ScheduledRender): boolean {
    const { slots } = this.#limits;
    const accountMax = leaveOne(slots);
    const batchMax = leaveOne(accountMax);
    const own = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    // batch renders above their maximum run with permits, and leave the slot for interactive renders free
    const isAtMax =
      priority === "batch"
        ? own.interactive + own.batch >= batchMax
        : own.interactive + Math.min(own.batch, batchMax) >= accountMax;
    if (isAtMax) return false;
    const fairShare = this.#fairShare(this.#running.size + (this.#running.has(accountId) ? 0 : 1));
    let used = 0;
    for (const { interactive, batch } of this.#running.values())
      used += Math.min(interactive + batch, fairShare);
    return used < slots;
  }

  /** Slots for each of this many accounts. */
  #fairShare(accounts: number): number {
    const { slots } = this.#limits;
    return accounts === 1 ? leaveOne(slots) : Math.max(1, Math.floor(slots / accounts));
  }

  #runningOf(accountId: string): number {
    const { interactive, batch } = this.#running.get(accountId) ?? { interactive: 0, batch: 0 };
    return interactive + batch;
  }
}

function leaveOne(slots: number): number {
  return Math.max(1, slots - 1);
}
