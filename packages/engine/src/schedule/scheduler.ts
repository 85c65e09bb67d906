import PQueue from "p-queue";
import type { EngineEvent } from "../engine-event.ts";
import { SnapError } from "../errors.ts";
import { TIMER_MAX_MS } from "../option-values.ts";
import type { Clock } from "../ports/clock.ts";
import type { Machine } from "../ports/machine.ts";
import {
  FairQueue,
  type FairQueueOptions,
  type QueueLoad,
  type RenderLimits,
  type ScheduledRender,
} from "./fair-queue.ts";
import type { Quarantine } from "./quarantine.ts";
import { rendersBeyondSlots } from "./render-slots.ts";

/** Enough to average over light and heavy pages, few enough to follow the load. */
const SAMPLE_COUNT = 20;

/** After a longer pause, or if the clock jumps, earlier samples do not describe the current throughput. */
const PAUSE_MAX_MS = 60_000;

/** Measures how fast renders finish while others wait. */
class ThroughputMeter {
  readonly #finishedAtMs: number[] = [];

  /** Mean time between two finished renders; 0 until there are enough samples. */
  get intervalMs(): number {
    const [first] = this.#finishedAtMs;
    const last = this.#finishedAtMs.at(-1);
    if (first === undefined || last === undefined || this.#finishedAtMs.length < SAMPLE_COUNT) return 0;
    return (last - first) / (SAMPLE_COUNT - 1);
  }

  /** @param isBusy - Whether others wait: only then does the throughput show the service's capacity. */
  recordFinished(nowMs: number, isBusy: boolean): void {
    const pauseMs = nowMs - (this.#finishedAtMs.at(-1) ?? nowMs);
    if (!isBusy || pauseMs < 0 || pauseMs > PAUSE_MAX_MS) this.#finishedAtMs.length = 0;
    this.#finishedAtMs.push(nowMs);
    if (this.#finishedAtMs.length > SAMPLE_COUNT) this.#finishedAtMs.shift();
  }
}

const STOPS_TOO_SOON = "this process is stopping, and the render could not finish in time";

/** How often the scheduler checks for idle cores while renders wait. */
const CHECK_INTERVAL_MS = 50;

export interface SchedulerOptions extends RenderLimits {
  /**
   * Maximum number of waiting renders across all accounts. Renders of accounts in quarantine count only against such
   * accounts.
   */
  readonly maxWaiting: number;
  /** Maximum number of one account's waiting renders, so no account fills the queue alone. */
  readonly maxWaitingPerAccount: number;
  /** Longest wait for a slot, in milliseconds. */
  readonly maxWaitMs: number;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly onEvent?: (event: EngineEvent) => void;
  /**
   * Called when the batch worker may be able to claim another item: a render has finished, or a batch render has
   * started.
   */
  readonly onCapacityChange?: () => void;
}

/** Running and waiting renders, and the limits on them. */
export interface SchedulerLoad extends QueueLoad, RenderLimits {
  readonly quarantined: QueueLoad["quarantined"] & { readonly accounts: number };
}

export interface SlotRequest extends ScheduledRender {
  /** Longest wait for a slot, if it is shorter than the scheduler's. */
  readonly maxWaitMs?: number | undefined;
  /** Start of the wait, by default now; earlier if the request has already waited for another render. */
  readonly requestedAt?: number;
  /** Makes a waiting batch render interactive once it resolves. */
  readonly priorityRaised?: Promise<void> | undefined;
  /** Called when the job starts. */
  readonly onStart?: (() => void) | undefined;
}

/** Decides which render runs next, and rejects those that would wait too long. */
export interface Scheduler {
  /**
   * @throws SnapError `upstream_rate_limited` if the queue is full, the account has too many renders in it, or no slot
   * becomes free in time: immediately if that is predictable, otherwise after `maxWaitMs`. See also `rejectStartsAfter`.
   */
  run<T>(request: SlotRequest, job: () => Promise<T>): Promise<T>;
  load(): SchedulerLoad;
  /** Number of waiting interactive renders that would start before a batch item of one more account. */
  countCompetingRenders(): number;
  /** Rejects renders whose turn comes after this instant with `upstream_rate_limited`. */
  rejectStartsAfter(lastStartAt: number): void;
  /** Returns the accounts in quarantine that cannot start another render, because they have one running or waiting. */
  busyQuarantinedAccounts(): readonly string[];
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { quarantine, clock, machine, slots, concurrency } = options;
  const { onEvent = () => {}, onCapacityChange = () => {} } = options;
  const { queueClass, queue } = exposeQueue({ slots, concurrency }, quarantine);
  const renders = new PQueue<FairQueue, FairQueueOptions>({ concurrency, queueClass });
  const throughput = new ThroughputMeter();
  let isChecking = false;
  let lastId = 0;
  let lastStartAt = Infinity;

  /** Runs more renders than there are slots while cores are idle because most pages wait for the network. */
  const useIdleCores = (): void => {
    if (isChecking || concurrency <= slots || queue().waiting === 0) return;
    isChecking = true;
    machine.idleCores(); // starts the measurement: it returns the average since the last call
    clock.after(CHECK_INTERVAL_MS, () => {
      isChecking = false;
      queue().setPermits(rendersBeyondSlots(machine));
      renders.concurrency = concurrency; // makes p-queue check its queue again, and start renders synchronously
      queue().setPermits(0); // unused permits must not outlive the measurement
      useIdleCores();
    });
  };

  const rejectIfOverloaded = (render: ScheduledRender, maxWaitMs: number): void => {
    const own = queue().waitingOf(render.accountId);
    if (own >= options.maxWaitingPerAccount) throw busy(`this account already has ${own} renders waiting`);
    const isQuarantined = quarantine.has(render.accountId);
    const competing = isQuarantined ? queue().waiting : queue().waitingOutsideQuarantine;
    if (competing >= options.maxWaiting) throw busy("the queue is full");
    if (queue().countAhead(render) * throughput.intervalMs > maxWaitMs)
      throw busy("more renders are waiting than can run in time");
  };

  return {
    async run(request, job) {
      let render: ScheduledRender = request;
      const now = clock.now();
      const waitedMs = waitedMsSince(clock, request.requestedAt ?? now);
      const maxWaitMs = Math.max(0, Math.min(options.maxWaitMs, request.maxWaitMs ?? Infinity) - waitedMs);
      rejectIfOverloaded(render, maxWaitMs);
      const id = String((lastId += 1));
      const wait = limitWait(clock, maxWaitMs);
      const reportWait = (): void => {
        const { priority } = render;
        onEvent({ type: "slot-wait-ended", priority, waitedMs: waitedMsSince(clock, now) });
      };
      wait.signal.addEventListener("abort", reportWait);
      const rendered = renders.add(
        async () => {
          wait.end();
          reportWait();
          if (clock.now() > lastStartAt) throw busy(STOPS_TOO_SOON);
          request.onStart?.();
          queue().begin(render);
          if (render.priority === "batch") onCapacityChange();
          try {
            return await job();
          } finally {
            queue().end(render);
            throughput.recordFinished(clock.now(), queue().waitingOutsideQuarantine > 0);
            onCapacityChange();
          }
        },
        { id, render, signal: wait.signal },
      );
      const raiseWhenJoined = async (): Promise<void> => {
        await request.priorityRaised;
        if (!queue().raise(id)) return;
        render = { ...render, priority: "interactive" };
        renders.concurrency = concurrency; // makes p-queue check its queue again
      };
      if (request.priorityRaised) void raiseWhenJoined();
      useIdleCores();
      return rendered;
    },
    load: () => withLimits(queue().load(), options),
    countCompetingRenders: () => queue().competingCount,
    rejectStartsAfter: (instant) => void (lastStartAt = instant),
    busyQuarantinedAccounts: () => queue().busyQuarantinedAccounts(),
  };
}

function withLimits(
  { quarantined, ...load }: QueueLoad,
  { quarantine, slots, concurrency }: Pick<SchedulerOptions, "quarantine" | "slots" | "concurrency">,
): SchedulerLoad {
  return { ...load, quarantined: { ...quarantined, accounts: quarantine.size }, slots, concurrency };
}

/** Returns how long a wait has lasted: 0 if the clock was set back, so the rest is not longer than the limit. */
export function waitedMsSince(clock: Clock, startedAt: number): number {
  return Math.max(0, clock.now() - startedAt);
}

/** Limits a wait for a slot: the signal aborts with `upstream_rate_limited` after `waitMs` unless `end` is called. */
export function limitWait(
  clock: Clock,
  waitMs: number,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const wait = new AbortController();
  const end = clock.after(Math.min(waitMs, TIMER_MAX_MS), () =>
    wait.abort(busy("no render slot became free in time")),
  );
  return { signal: wait.signal, end };
}

/** p-queue constructs its queue and hides it, so this keeps a reference (docs/decisions/scheduling.md). */
function exposeQueue(
  limits: RenderLimits,
  quarantine: Quarantine,
): {
  queueClass: new () => FairQueue;
  queue: () => FairQueue;
} {
  const isQuarantined = (accountId: string): boolean => quarantine.has(accountId);
  let instance = new FairQueue(limits, isQuarantined); // until p-queue constructs its own
  class ExposedQueue extends FairQueue {
    constructor() {
      super(limits, isQuarantined);
      // oxlint-disable-next-line no-this-alias -- the instance is needed outside
      instance = this;
    }
  }
  return { queueClass: ExposedQueue, queue: () => instance };
}

function busy(reason: string): SnapError {
  return new SnapError("upstream_rate_limited", `The service is busy: ${reason}. Retry shortly.`);
}
