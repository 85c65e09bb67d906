interface Event {
  readonly at: number;
  readonly run: () => void;
  isCanceled: boolean;
}

/** Far more than any simulation needs. */
const MAX_EVENTS = 100_000;

/** Maximum events per turn of the event loop. */
const EVENTS_PER_TURN = 50;

/**
 * The true time, in milliseconds, which jumps from event to event. Between two events all promises run as far as they
 * can, so the same events always lead to the same history.
 */
export class Timeline {
  /** In reverse order: the next event is the last. */
  readonly #events: Event[] = [];
  #now: number;
  #eventCount = 0;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  get now(): number {
    return this.#now;
  }

  /** Schedules an event; returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const event = { at: this.#now + Math.max(0, delayMs), run, isCanceled: false };
    this.#events.splice(this.#positionOf(event.at), 0, event);
    return () => {
      event.isCanceled = true;
    };
  }

  /** Resolves after `delayMs`. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Runs the events until `isOver`, or until none is left. */
  async runUntil(isOver: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const step = (): void => {
        try {
          if (isOver() || !this.#runNext()) resolve();
          else afterPromises(step, this.#eventCount);
        } catch (error) {
          reject(error);
        }
      };
      setImmediate(step);
    });
  }

  /** Runs all events until none is left. */
  runToEnd(): Promise<void> {
    return this.runUntil(() => false);
  }

  /** Runs the events in the next `durationMs`. */
  async run(durationMs: number): Promise<void> {
    let hasEnded = false;
    this.after(durationMs, () => {
      hasEnded = true;
    });
    await this.runUntil(() => hasEnded);
  }

  #runNext(): boolean {
    let event = this.#events.pop();
    while (event?.isCanceled) event = this.#events.pop();
    if (event === undefined) return false;
    this.#eventCount += 1;
    if (this.#eventCount > MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events`);
    this.#now = event.at;
    event.run();
    return true;
  }

  /** Events at the same instant run in the order in which they were scheduled. */
  #positionOf(at: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Calls `next` when all promises have run as far as they can. A tick is faster than a turn of the event loop, but Node
 * reports unhandled rejections only at a turn.
 */
function afterPromises(next: () => void, eventCount: number): void {
  if (eventCount % EVENTS_PER_TURN === 0) setImmediate(next);
  else queueMicrotask(() => process.nextTick(next));
}
