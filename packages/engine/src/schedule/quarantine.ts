import type { Clock } from "../ports/clock.ts";

const QUARANTINE_MS = 600_000;
/** Limits memory use. When quarantine is full, the account whose quarantine would end first is released early. */
const ACCOUNTS_MAX = 10_000;

/**
 * The accounts with a page that, within the last ten minutes, was ended because it would have harmed other renders, or
 * killed an isolated browser. They render one page at a time, after all other accounts and, with local browsers, in an
 * isolated browser.
 */
export class Quarantine {
  readonly #clock: Clock;
  readonly #cancelTimers = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of accounts. */
  get size(): number {
    return this.#cancelTimers.size;
  }

  has(accountId: string): boolean {
    return this.#cancelTimers.has(accountId);
  }

  /** Starts or extends a quarantine; returns when it ends, in milliseconds since the Unix epoch. */
  add(accountId: string): number {
    this.#release(accountId);
    const [oldest] = this.#cancelTimers.keys();
    if (oldest !== undefined && this.#cancelTimers.size >= ACCOUNTS_MAX) this.#release(oldest);
    // a timer, not a stored end time, because the wall clock may jump
    const cancel = this.#clock.after(QUARANTINE_MS, () => this.#cancelTimers.delete(accountId));
    this.#cancelTimers.set(accountId, cancel);
    return this.#clock.now() + QUARANTINE_MS;
  }

  #release(accountId: string): void {
    this.#cancelTimers.get(accountId)?.();
    this.#cancelTimers.delete(accountId);
  }
}
