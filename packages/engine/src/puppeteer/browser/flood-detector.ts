import { readThreadCpuMs } from "./process-group.ts";

/** The renderer process's thread that exchanges messages with the browser. It is almost idle in an ordinary page. */
const MESSAGE_THREAD = "Chrome_ChildIOT";
/** A page floods the browser if that thread uses this fraction of a core. */
const FLOOD_FRACTION = 0.025;
/** In a shorter time, an ordinary page may use this fraction too. */
const SAMPLE_INTERVAL_MIN_MS = 250;

interface Sample {
  readonly atMs: number;
  readonly cpuMs: ReadonlyMap<number, number>;
}

function readMessageCpuMs(pid: number): number | null {
  return readThreadCpuMs(pid, MESSAGE_THREAD);
}

/** Finds the processes whose messages keep a slow browser busy. */
export class FloodDetector {
  readonly #readCpuMs: typeof readMessageCpuMs;
  #previous: Sample | null = null;

  constructor(readCpuMs = readMessageCpuMs) {
    this.#readCpuMs = readCpuMs;
  }

  /**
   * Returns the `renderers` that have flooded the browser since the previous sample; none for the first sample, and if
   * the previous one is too recent. Of several, returns those that sent at least half as much as the busiest.
   */
  sample(renderers: readonly number[], nowMs: number): readonly number[] {
    const previous = this.#previous;
    if (previous !== null && nowMs - previous.atMs < SAMPLE_INTERVAL_MIN_MS) return [];
    const cpuMs = new Map(
      renderers.flatMap((pid) => {
        const ms = this.#readCpuMs(pid);
        return ms === null ? [] : [[pid, ms] as const];
      }),
    );
    this.#previous = { atMs: nowMs, cpuMs };
    if (previous === null) return [];
    const sent = [...cpuMs].map(([pid, ms]) => ({ pid, ms: ms - (previous.cpuMs.get(pid) ?? ms) }));
    const mostMs = Math.max(0, ...sent.map(({ ms }) => ms));
    const floodMs = Math.max(mostMs / 2, (nowMs - previous.atMs) * FLOOD_FRACTION);
    return sent.filter(({ ms }) => ms >= floodMs).map(({ pid }) => pid);
  }

  reset(): void {
    this.#previous = null;
  }
}
