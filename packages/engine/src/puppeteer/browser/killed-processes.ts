import { TabSuspected, type PageEnded } from "../page/page-end.ts";

/** A busy browser may report a crash this late. */
const REPORT_DELAY_MAX_MS = 10_000;

interface Kill {
  readonly pid: number;
  readonly reason: PageEnded | TabSuspected;
  readonly atMs: number;
}

/** Remembers why unknown pages' processes were killed, until the browser reports which pages crashed. */
export class KilledProcesses {
  #kills: readonly Kill[] = [];

  record(pid: number, reason: PageEnded | TabSuspected): void {
    this.#kills = [...this.#kills, { pid, reason, atMs: performance.now() }];
  }

  /**
   * Returns why the process of a crashed page was killed; `null` if it crashed by itself. Each kill explains one crash.
   *
   * @param pid - `null` if unknown; the page may then be that of any killed process, so the mildest reason applies.
   */
  explainCrash(pid: number | null): PageEnded | TabSuspected | null {
    const oldestMs = performance.now() - REPORT_DELAY_MAX_MS;
    const kills = this.#kills.filter(({ atMs }) => atMs >= oldestMs);
    const kill =
      pid === null
        ? (kills.find(({ reason }) => reason instanceof TabSuspected) ?? kills[0])
        : kills.find((each) => each.pid === pid);
    this.#kills = kills.filter((each) => each !== kill);
    return kill?.reason ?? null;
  }
}
