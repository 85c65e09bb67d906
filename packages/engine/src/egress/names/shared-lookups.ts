import { abortable } from "../../timeouts.ts";

interface RunningLookup<T> {
  readonly outcome: Promise<T>;
  /** Aborts when no caller is waiting for the lookup anymore. */
  readonly abandoned: AbortController;
  waiting: number;
}

/** Runs one lookup of a name for all callers that are waiting for it, and cancels it once none is. */
export class SharedLookups<T> {
  readonly #running = new Map<string, RunningLookup<T>>();

  /** Joins the running lookup of the name, or starts one. Rejects with the abort reason of `signal`. */
  async join(
    hostname: string,
    signal: AbortSignal,
    start: (abandoned: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const lookup = this.#running.get(hostname) ?? this.#start(hostname, start);
    lookup.waiting += 1;
    try {
      return await abortable(signal, lookup.outcome);
    } finally {
      lookup.waiting -= 1;
      if (lookup.waiting === 0) this.#end(hostname, lookup);
    }
  }

  #start(hostname: string, start: (abandoned: AbortSignal) => Promise<T>): RunningLookup<T> {
    const abandoned = new AbortController();
    const lookup = { outcome: start(abandoned.signal), abandoned, waiting: 0 };
    this.#running.set(hostname, lookup);
    return lookup;
  }

  #end(hostname: string, lookup: RunningLookup<T>): void {
    if (this.#running.get(hostname) === lookup) this.#running.delete(hostname);
    lookup.abandoned.abort();
  }
}
