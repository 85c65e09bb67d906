/** A busy browser may report the exit of a process this late. */
const REPORT_TIMEOUT_MS = 10_000;

/** Remembers why processes of unknown pages were killed. Their pages are the ones that crash next. */
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
