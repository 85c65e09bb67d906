import PQueue from "p-queue";
import { SnapError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Machine } from "../ports/machine.ts";
import {
  FairQueue,
  type FairQueueOptions,
  type QueueLoad,
  type RenderBounds,
  type Turn,
} from "./fair-queue.ts";
import { rendersBeyondSlots } from "./render-slots.ts";

/** Enough to smooth out pages of different weight, few enough to follow the load. */
const ENDS_KEPT = 20;

/** After a longer pause, or a jump of the clock, the ends before say nothing of the pace now. */
const PAUSE_MAX_MS = 60_000;

/** Measures how fast renders end while others wait. */
class PaceMeter {
  readonly #endsMs: number[] = [];

  /** Mean time between two ends, in milliseconds; 0 until enough of them were seen. */
  get intervalMs(): number {
    const [first] = this.#endsMs;
    const last = this.#endsMs.at(-1);
    if (first === undefined || last === undefined || this.#endsMs.length < ENDS_KEPT) return 0;
    return (last - first) / (ENDS_KEPT - 1);
  }

  /** @param isBusy - Whether others wait: only then does the pace say what the service can do. */
  noteEnd(nowMs: number, isBusy: boolean): void {
    const pauseMs = nowMs - (this.#endsMs.at(-1) ?? nowMs);
    if (!isBusy || pauseMs < 0 || pauseMs > PAUSE_MAX_MS) this.#endsMs.length = 0;
    this.#endsMs.push(nowMs);
    if (this.#endsMs.length > ENDS_KEPT) this.#endsMs.shift();
  }
}

/** How often idle processors are looked for while renders wait. */
const LOOK_INTERVAL_MS = 50;

export interface SchedulerOptions extends RenderBounds {
  /** How many may wait, over all accounts. */
  readonly maxWaiting: number;
  /** How many of one account may wait, so that none fills the queue alone. */
  readonly maxWaitingPerAccount: number;
  /** Longest wait for a turn, in milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly machine: Machine;
  /** Called when a render has ended, and when one of a batch begins. */
  readonly onChange?: () => void;
}

/** How many renders run and wait, and how many may. */
export interface SchedulerLoad extends QueueLoad, RenderBounds {}

export interface WantedTurn extends Turn {
  /** A longest wait of its own, if it is shorter than all others'. */
  readonly maxWaitMs?: number | undefined;
  /** Instant from which the wait counts: whoever waited for another's render has waited already. Now unless given. */
  readonly askedAt?: number;
  /** Makes a batch render interactive when it resolves, if that still waits then. */
  readonly hurried?: Promise<void> | null;
  /** Called when the job starts. */
  readonly onBegin?: () => void;
}

/** Decides which render runs next, and refuses those that would wait too long. */
export interface Scheduler {
  /** @throws SnapError `upstream_rate_limited` when the queue is full or the turn would not come in time. */
  run<T>(turn: WantedTurn, job: () => Promise<T>): Promise<T>;
  load(): SchedulerLoad;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, machine, slots, concurrency, onChange = () => {} } = options;
  const { queueClass, queue } = shareQueue({ slots, concurrency });
  const turns = new PQueue<FairQueue, FairQueueOptions>({ concurrency, queueClass });
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
      turns.concurrency = concurrency; // p-queue looks at its queue again
      queue().permit(0);
      lookForIdleProcessors();
    });
  };

  const requireRoom = (turn: Turn, maxWaitMs: number): void => {
    const isFull =
      queue().waiting >= options.maxWaiting ||
      queue().waitingOf(turn.accountId) >= options.maxWaitingPerAccount;
    if (isFull) throw busy("every render slot is taken and the queue is full");
    if (queue().ahead(turn) * pace.intervalMs > maxWaitMs)
      throw busy("more renders wait than can run in time");
  };

  return {
    async run(wanted, job) {
      let turn: Turn = wanted;
      const now = clock.now();
      const waitedMs = now - (wanted.askedAt ?? now);
      const maxWaitMs = Math.max(0, Math.min(options.maxWaitMs, wanted.maxWaitMs ?? Infinity) - waitedMs);
      requireRoom(turn, maxWaitMs);
      const id = String((runs += 1));
      const patience = startPatience(clock, maxWaitMs);
      const rendered = turns.add(
        async () => {
          patience.callOff();
          wanted.onBegin?.();
          queue().begin(turn);
          if (turn.urgency === "batch") onChange();
          try {
            return await job();
          } finally {
            queue().end(turn);
            pace.noteEnd(clock.now(), queue().waiting > 0);
            onChange();
          }
        },
        { id, accountId: turn.accountId, urgency: turn.urgency, signal: patience.signal },
      );
      const followHurry = async (): Promise<void> => {
        await wanted.hurried;
        if (!queue().hurry(id)) return;
        turn = { ...turn, urgency: "interactive" };
        turns.concurrency = concurrency; // p-queue looks at its queue again
      };
      if (wanted.hurried) void followHurry();
      lookForIdleProcessors();
      return rendered;
    },
    load: () => ({ ...queue().load(), slots, concurrency }),
  };
}

/** Limits a wait for a turn: the signal aborts with `upstream_rate_limited` after `waitMs`. */
export function startPatience(
  clock: Clock,
  waitMs: number,
): { readonly signal: AbortSignal; readonly callOff: () => void } {
  const patience = new AbortController();
  const callOff = clock.after(waitMs, () => patience.abort(busy("no render slot came free in time")));
  return { signal: patience.signal, callOff };
}

/** p-queue makes its queue itself; this catches it, to ask who waits. */
function shareQueue(bounds: RenderBounds): {
  queueClass: new () => FairQueue;
  queue: () => FairQueue;
} {
  let made = new FairQueue(bounds);
  class SharedQueue extends FairQueue {
    constructor() {
      super(bounds);
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
