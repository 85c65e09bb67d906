/** While no render finishes, a part that has been busy for this long is stalling every page. */
const OVERLOAD_MS = 4_000;

/** A reading from a browser. */
export interface OverloadReading {
  readonly atMs: number;
  /** Whether the part has been busy since the previous reading. */
  readonly isBusy: boolean;
  readonly isRendering: boolean;
  /** Number of renders that have ended. */
  readonly finishedRenders: number;
}

/** Detects whether a part of a browser that all pages share, such as the GPU process, is stalling them. */
export class OverloadDetector {
  /** Start of the current busy time without a finished render. */
  #busy: { readonly sinceMs: number; readonly finishedRenders: number } | null = null;

  /** Returns whether the part is overloaded. */
  update({ atMs, isBusy, isRendering, finishedRenders }: OverloadReading): boolean {
    if (!isRendering || !isBusy) this.#busy = null;
    else if (this.#busy?.finishedRenders !== finishedRenders) this.#busy = { sinceMs: atMs, finishedRenders };
    return this.#busy !== null && atMs - this.#busy.sinceMs >= OVERLOAD_MS;
  }
}
