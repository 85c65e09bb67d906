/** A busy browser might report a process's exit this late. */
const REPORT_TIMEOUT_MS = 10_000;

/** Records why unknown pages' processes were killed. The pages that crash next are assumed to be theirs. */
export class KilledProcesses {
  #latest: { readonly reason: Error; readonly atMs: number } | null = null;

  record(reason: Error): void {
    this.#latest = { reason, atMs: performance.now() };
  }

  /** Returns why a process was last killed; `null` if that is too long ago to explain a crash now. */
  explainCrash(): Error | null {
    const latest = this.#latest;
    return latest !== null && performance.now() - latest.atMs <= REPORT_TIMEOUT_MS ? latest.reason : null;
  }
}
