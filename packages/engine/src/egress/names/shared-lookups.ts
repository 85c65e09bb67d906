import { abortable } from "../../timeouts.ts";

interface RunningLookup<T> {
  readonly outcome: Promise<T>;
  /** Aborts when no caller is waiting for the lookup anymore. */
  readonly controller: AbortController;
  waiting: number;
}

/** Runs one lookup of a name for all callers that are waiting for it, and cancels it once none is. */
export class SharedLookups<T> {
  readonly #lookups = new Map<string, RunningLookup<T>>();

  /** Joins the running lookup of the name, or starts one. Rejects with the abort reason of `signal`. */
  async join(
    hostname: string,
    signal: AbortSignal,
    start: (abandoned: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const lookup = this.#lookups.get(hostname) ?? this.#start(hostname, start);
    lookup.waiting += 1;
    try {
      return await abortable(signal, lookup.outcome);
    } finally {
      lookup.waiting -= 1;
      if (lookup.waiting === 0) this.#end(hostname, lookup);
    }
  }

  #start(hostname: string, start: (abandoned: AbortSignal) => Promise<T>): RunningLookup<T> {
    const controller = new AbortController();
    const lookup = { outcome: start(controller.signal), controller, waiting: 0 };
    this.#lookups.set(hostname, lookup);
    return lookup;
  }

  #end(hostname: string, lookup: RunningLookup<T>): void {
    if (this.#lookups.get(hostname) === lookup) this.#lookups.delete(hostname);
    lookup.controller.abort();
  }
}
