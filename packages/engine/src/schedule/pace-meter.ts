/** Enough to smooth out pages of different weight, few enough to follow the load. */
const ENDS_KEPT = 20;

/** After a longer pause, or a jump of the clock, the ends before say nothing of the pace now. */
const PAUSE_MAX_MS = 60_000;

/** Measures how fast renders end while others wait. */
export class PaceMeter {
  readonly #endsMs: number[] = [];

  /** Mean time between two ends, in milliseconds; 0 until enough of them were seen. */
  get intervalMs(): number {
    const [first] = this.#endsMs;
    const last = this.#endsMs.at(-1);
    if (first === undefined || last === undefined || this.#endsMs.length < ENDS_KEPT) return 0;
    return (last - first) / (ENDS_KEPT - 1);
  }

  /** @param isBusy - Whether others wait: only then does the pace say what the service can do. */
  noteEnd(nowMs: number, isBusy: boolean): void {
    const pauseMs = nowMs - (this.#endsMs.at(-1) ?? nowMs);
    if (!isBusy || pauseMs < 0 || pauseMs > PAUSE_MAX_MS) this.#endsMs.length = 0;
    this.#endsMs.push(nowMs);
    if (this.#endsMs.length > ENDS_KEPT) this.#endsMs.shift();
  }
}
