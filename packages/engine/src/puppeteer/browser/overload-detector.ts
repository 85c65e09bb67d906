/** A reading from a browser. */
export interface OverloadReading {
  readonly atMs: number;
  /** Whether the part has been busy since the previous reading. */
  readonly isBusy: boolean;
  readonly isRendering: boolean;
  /** Number of renders that have ended. */
  readonly finishedRenders: number;
}

/** Measures for how long a part of a browser that all pages share, such as the GPU process, may be stalling them. */
export class OverloadDetector {
  /** Start of the current busy time without a finished render. */
  #busy: { readonly sinceMs: number; readonly finishedRenders: number } | null = null;

  /** Returns for how long the part has been busy while no render has finished. */
  update({ atMs, isBusy, isRendering, finishedRenders }: OverloadReading): number {
    if (!isRendering || !isBusy) this.#busy = null;
    else if (this.#busy?.finishedRenders !== finishedRenders) this.#busy = { sinceMs: atMs, finishedRenders };
    return this.#busy === null ? 0 : atMs - this.#busy.sinceMs;
  }
}
