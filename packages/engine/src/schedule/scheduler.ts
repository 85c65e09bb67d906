import PQueue from "p-queue";
import { SnapError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Machine } from "../ports/machine.ts";
import {
  FairQueue,
  type FairQueueOptions,
  type QueueLoad,
  type RenderLimits,
  type QueuedRender,
} from "./fair-queue.ts";
import { rendersBeyondSlots } from "./render-slots.ts";

/** Enough to average over pages of different weight, few enough to follow the load. */
const MAX_ENDS = 20;

/** After a longer pause, or a jump of the clock, earlier ends say nothing about the pace now. */
const PAUSE_MAX_MS = 60_000;

/** Measures how fast renders end while others wait. */
class PaceMeter {
  readonly #endsMs: number[] = [];

  /** Mean time between two ends, in milliseconds; 0 until there are enough of them. */
  get intervalMs(): number {
    const [first] = this.#endsMs;
    const last = this.#endsMs.at(-1);
    if (first === undefined || last === undefined || this.#endsMs.length < MAX_ENDS) return 0;
    return (last - first) / (MAX_ENDS - 1);
  }

  /** @param isBusy - Whether others wait: only then does the pace show the capacity of the service. */
  recordEnd(nowMs: number, isBusy: boolean): void {
    const pauseMs = nowMs - (this.#endsMs.at(-1) ?? nowMs);
    if (!isBusy || pauseMs < 0 || pauseMs > PAUSE_MAX_MS) this.#endsMs.length = 0;
    this.#endsMs.push(nowMs);
    if (this.#endsMs.length > MAX_ENDS) this.#endsMs.shift();
  }
}

/** How often the scheduler looks for idle processors while renders wait. */
const LOOK_INTERVAL_MS = 50;

export interface SchedulerOptions extends RenderLimits {
  /** Most renders that may wait, over all accounts. */
  readonly maxWaiting: number;
  /** Most renders of one account that may wait, so that no account fills the queue alone. */
  readonly maxWaitingPerAccount: number;
  /** Longest wait for a slot, in milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly machine: Machine;
  /** Called when a render has ended, and when a batch render starts. */
  readonly onChange?: () => void;
}

/** How many renders run and wait, and how many may run. */
export interface SchedulerLoad extends QueueLoad, RenderLimits {}

export interface SlotRequest extends QueuedRender {
  /** Longest wait for a slot, if it is shorter than the scheduler's. */
  readonly maxWaitMs?: number | undefined;
  /** Start of the wait: a request may have waited for another's render before. Now by default. */
  readonly requestedAt?: number;
  /** Makes a waiting batch render interactive once it resolves. */
  readonly priorityRaised?: Promise<void> | null;
  /** Called when the job starts. */
  readonly onStart?: () => void;
}

/** Decides which render runs next, and refuses those that would wait too long. */
export interface Scheduler {
  /** @throws SnapError `upstream_rate_limited` when the queue is full or no slot would be free in time. */
  run<T>(request: SlotRequest, job: () => Promise<T>): Promise<T>;
  load(): SchedulerLoad;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, machine, slots, concurrency, onChange = () => {} } = options;
  const { queueClass, queue } = shareQueue({ slots, concurrency });
  const renders = new PQueue<FairQueue, FairQueueOptions>({ concurrency, queueClass });
  const pace = new PaceMeter();
  let isLooking = false;
  let runs = 0;

  /** Admits more pages than there are slots while most of them wait and leave processors idle. */
  const lookForIdleProcessors = (): void => {
    if (isLooking || concurrency <= slots || queue().waiting === 0) return;
    isLooking = true;
    machine.idleProcessors();
    clock.after(LOOK_INTERVAL_MS, () => {
      isLooking = false;
      queue().permit(rendersBeyondSlots(machine));
      renders.concurrency = concurrency; // makes p-queue look at its queue again
      queue().permit(0);
      lookForIdleProcessors();
    });
  };

  const requireRoom = (render: QueuedRender, maxWaitMs: number): void => {
    const isFull =
      queue().waiting >= options.maxWaiting ||
      queue().waitingOf(render.accountId) >= options.maxWaitingPerAccount;
    if (isFull) throw busy("every render slot is in use and the queue is full");
    if (queue().ahead(render) * pace.intervalMs > maxWaitMs)
      throw busy("more renders are waiting than can run in time");
  };

  return {
    async run(request, job) {
      let render: QueuedRender = request;
      const now = clock.now();
      const waitedMs = now - (request.requestedAt ?? now);
      const maxWaitMs = Math.max(0, Math.min(options.maxWaitMs, request.maxWaitMs ?? Infinity) - waitedMs);
      requireRoom(render, maxWaitMs);
      const id = String((runs += 1));
      const wait = limitWait(clock, maxWaitMs);
      const rendered = renders.add(
        async () => {
          wait.end();
          request.onStart?.();
          queue().begin(render);
          if (render.priority === "batch") onChange();
          try {
            return await job();
          } finally {
            queue().end(render);
            pace.recordEnd(clock.now(), queue().waiting > 0);
            onChange();
          }
        },
        { id, render, signal: wait.signal },
      );
      const followPriority = async (): Promise<void> => {
        await request.priorityRaised;
        if (!queue().raise(id)) return;
        render = { ...render, priority: "interactive" };
        renders.concurrency = concurrency; // makes p-queue look at its queue again
      };
      if (request.priorityRaised) void followPriority();
      lookForIdleProcessors();
      return rendered;
    },
    load: () => ({ ...queue().load(), slots, concurrency }),
  };
}

/** Limits a wait for a slot: the signal aborts with `upstream_rate_limited` after `waitMs`, unless the wait ends. */
export function limitWait(
  clock: Clock,
  waitMs: number,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const wait = new AbortController();
  const end = clock.after(waitMs, () => wait.abort(busy("no render slot became free in time")));
  return { signal: wait.signal, end };
}

/** p-queue constructs its queue itself; this keeps a reference to it, to read what waits. */
function shareQueue(limits: RenderLimits): {
  queueClass: new () => FairQueue;
  queue: () => FairQueue;
} {
  let made = new FairQueue(limits);
  class SharedQueue extends FairQueue {
    constructor() {
      super(limits);
      // oxlint-disable-next-line no-this-alias -- the instance is needed outside
      made = this;
    }
  }
  return { queueClass: SharedQueue, queue: () => made };
}

function busy(reason: string): SnapError {
  return new SnapError(
    "upstream_rate_limited",
    `The service is busy: ${reason}. Repeat the request shortly.`,
  );
}
