import type { Clock } from "../ports/clock.ts";

const QUARANTINE_MS = 600_000;
/** Limits the memory that quarantine takes; the oldest entry gives way. */
const ACCOUNTS_MAX = 10_000;

/**
 * The accounts that had a page ended within the last ten minutes. They render one page at a time, after all others, in an
 * isolated browser.
 */
export class Quarantine {
  readonly #clock: Clock;
  readonly #releases = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of accounts. */
  get size(): number {
    return this.#releases.size;
  }

  has(accountId: string): boolean {
    return this.#releases.has(accountId);
  }

  /** Starts or extends a quarantine; returns when it ends, in milliseconds since the Unix epoch. */
  add(accountId: string): number {
    this.#release(accountId);
    const [oldest] = this.#releases.keys();
    if (oldest !== undefined && this.#releases.size >= ACCOUNTS_MAX) this.#release(oldest);
    // a timer: the time of day may jump
    const cancel = this.#clock.after(QUARANTINE_MS, () => this.#releases.delete(accountId));
    this.#releases.set(accountId, cancel);
    return this.#clock.now() + QUARANTINE_MS;
  }

  #release(accountId: string): void {
    this.#releases.get(accountId)?.();
    this.#releases.delete(accountId);
  }
}
