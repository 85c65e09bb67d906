/**
 * A GPU process that uses this fraction of a core for this long, while no render finishes, is stalling every page. On a
 * busy machine, it gets little more than its fair share of a core.
 */
const BUSY_FRACTION = 0.25;
const OVERLOAD_MS = 4_000;

/** A reading from a browser. */
export interface GpuReading {
  readonly atMs: number;
  /**
   * Time since the previous reading, and the CPU time that the GPU process has used since; 0 if there is no GPU
   * process.
   */
  readonly intervalMs: number;
  readonly gpuCpuMs: number;
  readonly isRendering: boolean;
  /** Number of renders that have ended. */
  readonly finishedRenders: number;
}

/** Detects whether the GPU process, which all pages of a browser share, is stalling them. */
export class GpuOverloadDetector {
  /** Start of the current busy time without a finished render. */
  #busy: { readonly sinceMs: number; readonly finishedRenders: number } | null = null;

  /** Returns whether the GPU process is overloaded. */
  update({ atMs, intervalMs, gpuCpuMs, isRendering, finishedRenders }: GpuReading): boolean {
    if (!isRendering || gpuCpuMs < intervalMs * BUSY_FRACTION) this.#busy = null;
    else if (this.#busy?.finishedRenders !== finishedRenders) this.#busy = { sinceMs: atMs, finishedRenders };
    return this.#busy !== null && atMs - this.#busy.sinceMs >= OVERLOAD_MS;
  }
}
