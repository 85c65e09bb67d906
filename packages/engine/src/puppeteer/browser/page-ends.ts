/** News of a process that we ended comes back within this time. */
const NEWS_TIMEOUT_MS = 2_000;

/**
 * Remembers which pages' processes we ended ourselves, and why: such a render must not be tried again,
 * or its page does the same harm twice.
 */
export class PageEnds {
  #latest: { readonly reason: string; readonly atMs: number } | null = null;

  end(pid: number, reason: string): void {
    this.#latest = { reason, atMs: performance.now() };
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has just ended by itself; the watch goes on
    }
  }

  /** Why a process that has just ended was ended, if it was us. */
  recentReason(): string | null {
    const latest = this.#latest;
    return latest !== null && performance.now() - latest.atMs <= NEWS_TIMEOUT_MS ? latest.reason : null;
  }
}
