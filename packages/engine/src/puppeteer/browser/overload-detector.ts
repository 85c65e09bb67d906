/** While no render finishes, a part that has been busy for this long is stalling every page. */
const OVERLOAD_MS = 4_000;

/** A reading from a browser. */
export interface OverloadReading {
  readonly atMs: number;
  /** Time since the previous reading, and the CPU time that the part has used since. */
  readonly intervalMs: number;
  readonly cpuMs: number;
  readonly isRendering: boolean;
  /** Number of renders that have ended. */
  readonly finishedRenders: number;
}

/** Detects whether a part of a browser that all pages share, such as the GPU process, is stalling them. */
export class OverloadDetector {
  readonly #busyFraction: number;
  /** Start of the current busy time without a finished render. */
  #busy: { readonly sinceMs: number; readonly finishedRenders: number } | null = null;

  /** @param busyFraction - The part is busy if it uses this fraction of a core. */
  constructor(busyFraction: number) {
    this.#busyFraction = busyFraction;
  }

  /** Returns whether the part is overloaded. */
  update({ atMs, intervalMs, cpuMs, isRendering, finishedRenders }: OverloadReading): boolean {
    if (!isRendering || cpuMs < intervalMs * this.#busyFraction) this.#busy = null;
    else if (this.#busy?.finishedRenders !== finishedRenders) this.#busy = { sinceMs: atMs, finishedRenders };
    return this.#busy !== null && atMs - this.#busy.sinceMs >= OVERLOAD_MS;
  }
}
