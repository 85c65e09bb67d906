import type { ProcessGroup } from "./process-group.ts";

/** Long enough to cost little, short enough to be invisible in a rendering. */
const PERIOD_MS = 100;

/** A process that runs only for a fraction of each period. */
export interface ThrottledProcess {
  readonly group: ProcessGroup;
  readonly pid: number;
  /** Fraction of each period in which it runs, from 0 to 1. */
  readonly runFraction: number;
}

/**
 * Slows processes down by stopping them for a fraction of every period. Unlike priorities, this works on every kernel,
 * without privileges, and for any number of threads.
 */
export class Throttle {
  #processes: readonly ThrottledProcess[] = [];
  #periodTimer: NodeJS.Timeout | undefined;
  #stopTimers: readonly NodeJS.Timeout[] = [];

  /** Sets the processes to throttle. Those set previously return to full speed. */
  set(processes: readonly ThrottledProcess[]): void {
    this.release();
    this.#processes = processes;
    if (processes.length === 0) return;
    this.#stopLater();
    this.#periodTimer = setInterval(() => {
      this.#resume();
      this.#stopLater();
    }, PERIOD_MS);
  }

  /** Lets all processes run. */
  release(): void {
    clearInterval(this.#periodTimer);
    this.#resume();
    this.#processes = [];
  }

  /**
   * Throttled processes all resume at the start of a period, so the end of the period is left to the other
   * processes.
   */
  #stopLater(): void {
    this.#stopTimers = this.#processes.map(({ group, pid, runFraction }) =>
      setTimeout(() => group.signal(pid, "SIGSTOP"), runFraction * PERIOD_MS),
    );
  }

  #resume(): void {
    for (const timer of this.#stopTimers) clearTimeout(timer);
    this.#stopTimers = [];
    for (const { group, pid } of this.#processes) group.signal(pid, "SIGCONT");
  }
}
