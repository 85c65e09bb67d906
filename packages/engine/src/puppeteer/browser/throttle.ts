import type { ProcessGroup } from "./process-group.ts";

/** Long enough to cost little, short enough to be invisible in a rendering. */
const PERIOD_MS = 100;

/** A process that runs only for a fraction of each period. */
export interface ThrottledProcess {
  readonly group: ProcessGroup;
  readonly pid: number;
  /** From 0 to 1. */
  readonly rate: number;
}

/**
 * Slows processes down by stopping them for a fraction of every period. Unlike priorities, this works on every kernel,
 * without privileges, and however many threads a process has.
 */
export class Throttle {
  #processes: readonly ThrottledProcess[] = [];
  #period: NodeJS.Timeout | undefined;
  #stops: readonly NodeJS.Timeout[] = [];

  /** Replaces the processes to slow down; the previous ones run freely again. */
  set(processes: readonly ThrottledProcess[]): void {
    this.release();
    this.#processes = processes;
    if (processes.length === 0) return;
    this.#stopLater();
    this.#period = setInterval(() => {
      this.#resume();
      this.#stopLater();
    }, PERIOD_MS);
  }

  /** Lets all processes run. */
  release(): void {
    clearInterval(this.#period);
    this.#resume();
    this.#processes = [];
  }

  /** All processes continue together, so that the rest of the period belongs to the other processes. */
  #stopLater(): void {
    this.#stops = this.#processes.map(({ group, pid, rate }) =>
      setTimeout(() => group.signal(pid, "SIGSTOP"), rate * PERIOD_MS),
    );
  }

  #resume(): void {
    for (const stop of this.#stops) clearTimeout(stop);
    this.#stops = [];
    for (const { group, pid } of this.#processes) group.signal(pid, "SIGCONT");
  }
}
