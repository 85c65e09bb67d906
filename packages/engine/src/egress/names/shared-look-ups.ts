import { abortable } from "../../timeouts.ts";

interface RunningLookUp<T> {
  readonly outcome: Promise<T>;
  /** Aborts when no caller is waiting for the look-up anymore. */
  readonly abandoned: AbortController;
  waiting: number;
}

/** Runs one look-up of a name for all callers that are waiting for it, and cancels it once none is. */
export class SharedLookUps<T> {
  readonly #running = new Map<string, RunningLookUp<T>>();

  /** Joins the running look-up of the name, or starts one. Rejects with the abort reason of `signal`. */
  async join(
    hostname: string,
    signal: AbortSignal,
    start: (abandoned: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const lookUp = this.#running.get(hostname) ?? this.#start(hostname, start);
    lookUp.waiting += 1;
    try {
      return await abortable(signal, lookUp.outcome);
    } finally {
      lookUp.waiting -= 1;
      if (lookUp.waiting === 0) this.#end(hostname, lookUp);
    }
  }

  #start(hostname: string, start: (abandoned: AbortSignal) => Promise<T>): RunningLookUp<T> {
    const abandoned = new AbortController();
    const lookUp = { outcome: start(abandoned.signal), abandoned, waiting: 0 };
    this.#running.set(hostname, lookUp);
    return lookUp;
  }

  #end(hostname: string, lookUp: RunningLookUp<T>): void {
    if (this.#running.get(hostname) === lookUp) this.#running.delete(hostname);
    lookUp.abandoned.abort();
  }
}
