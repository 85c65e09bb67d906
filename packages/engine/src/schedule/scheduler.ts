import PQueue from "p-queue";
import { SnapError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { FairQueue, type FairQueueOptions, type Turn } from "./fair-queue.ts";

export interface SchedulerOptions {
  /** How many renders run at once. */
  readonly concurrency: number;
  /** How many of one account may run at once, so that none holds every slot. */
  readonly maxRunningPerAccount: number;
  /** How many may wait, over all accounts. */
  readonly maxWaiting: number;
  /** How many of one account may wait, so that none fills the queue alone. */
  readonly maxWaitingPerAccount: number;
  /** Longest wait for a turn, in milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  /** Told whenever a render has ended and left its slot. */
  readonly onSlotFree?: () => void;
}

/** Decides which render runs next, and refuses those that would wait too long. */
export interface Scheduler {
  /**
   * @param turn With a longest wait of its own, if it is shorter than all others'.
   * @throws SnapError `upstream_rate_limited` when the queue is full or the turn doesn't come in time.
   */
  run<T>(turn: Turn & { readonly maxWaitMs?: number | undefined }, job: () => Promise<T>): Promise<T>;
  load(): { readonly running: number; readonly waiting: number };
  /** Resolves once nothing runs or waits. */
  idle(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { queueClass, queue } = shareQueue(options.maxRunningPerAccount);
  const turns = new PQueue<FairQueue, FairQueueOptions>({ concurrency: options.concurrency, queueClass });

  return {
    async run(turn, job) {
      if (
        queue().waiting >= options.maxWaiting ||
        queue().waitingOf(turn.accountId) >= options.maxWaitingPerAccount
      )
        throw busy("every render slot is taken and the queue is full");
      const patience = new AbortController();
      const maxWaitMs = Math.min(options.maxWaitMs, turn.maxWaitMs ?? Infinity);
      const callOff = options.clock.after(maxWaitMs, () => {
        patience.abort(busy("no render slot came free in time"));
      });
      return turns.add(
        async () => {
          callOff();
          queue().begin(turn.accountId);
          try {
            return await job();
          } finally {
            queue().end(turn.accountId);
            options.onSlotFree?.();
          }
        },
        { accountId: turn.accountId, urgency: turn.urgency, signal: patience.signal },
      );
    },
    load: () => ({ running: queue().running, waiting: queue().waiting }),
    idle: () => turns.onIdle(),
  };
}

/** p-queue makes its queue itself; this catches it, to ask who waits. */
function shareQueue(maxRunningPerAccount: number): {
  queueClass: new () => FairQueue;
  queue: () => FairQueue;
} {
  let made = new FairQueue(maxRunningPerAccount);
  class SharedQueue extends FairQueue {
    constructor() {
      super(maxRunningPerAccount);
      // oxlint-disable-next-line no-this-alias -- the instance is what is wanted here
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
