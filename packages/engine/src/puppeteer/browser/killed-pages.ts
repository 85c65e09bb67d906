/** The browser reports a killed process within this time. */
const EXIT_EVENT_TIMEOUT_MS = 2_000;

/**
 * Kills the processes of pages and records why. Such a render must not be retried: its page would do the same harm
 * again.
 */
export class KilledPages {
  #latest: { readonly reason: string; readonly atMs: number } | null = null;

  kill(pid: number, reason: string): void {
    this.#latest = { reason, atMs: performance.now() };
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has already exited
    }
  }

  /** Returns why a process was killed within the last two seconds; `null` if none was. */
  recentReason(): string | null {
    const latest = this.#latest;
    return latest !== null && performance.now() - latest.atMs <= EXIT_EVENT_TIMEOUT_MS ? latest.reason : null;
  }
}
