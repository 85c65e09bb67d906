import type { RendererHealth } from "../../ports/renderer.ts";
import { abortable } from "../../timeouts.ts";
import type { UnavailableCode } from "./browser-unavailable.ts";
import {
  explainOutage,
  type Outage,
  type TabLease,
  type TabSource,
  type BrowserSupervisor,
  type TabRequest,
} from "./browser-supervisor.ts";

/** If no browser is available, the error is that of the browser likely to recover first. */
const CODES_BY_RECOVERY: readonly UnavailableCode[] = [
  "upstream_rate_limited",
  "upstream_error",
  "upstream_quota_exceeded",
];

/**
 * Balances renders across several browsers: each goes to the browser with the fewest active renders; ties are broken
 * round robin.
 */
export class TabPool implements TabSource {
  readonly #supervisors: readonly BrowserSupervisor[];
  readonly closing: AbortSignal;
  #firstIndex = 0;

  constructor(supervisors: readonly [BrowserSupervisor, ...BrowserSupervisor[]]) {
    this.#supervisors = supervisors;
    this.closing = supervisors[0].closing; // all of them close together
  }

  async acquire(request: TabRequest, signal: AbortSignal): Promise<TabLease> {
    for (;;) {
      signal.throwIfAborted();
      const supervisor = this.#leastBusy(request.tried);
      if (supervisor) return supervisor.acquire(request, signal);
      const outage = this.#outage();
      if (outage) throw explainOutage(outage);
      await abortable(signal, this.#waitForChange());
    }
  }

  async health(): Promise<RendererHealth> {
    while (!this.closing.aborted) {
      if (this.#supervisors.some(({ activeRenders }) => activeRenders !== null))
        return { ready: true, reason: null };
      const outages = this.#outages();
      if (outages) return { ready: false, reason: outages.map(({ reason }) => reason).join("; ") };
      await abortable(this.closing, this.#waitForChange()).catch(() => {}); // closed
    }
    return { ready: false, reason: "closed" };
  }

  async close(): Promise<void> {
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.close()));
  }

  /** Prefers browsers that this render has not tried yet. */
  #leastBusy(tried: ReadonlySet<TabSource>): BrowserSupervisor | null {
    this.#firstIndex = (this.#firstIndex + 1) % this.#supervisors.length;
    const rotated = [
      ...this.#supervisors.slice(this.#firstIndex),
      ...this.#supervisors.slice(0, this.#firstIndex),
    ];
    const running = rotated.flatMap((supervisor) =>
      supervisor.activeRenders === null ? [] : [{ supervisor, load: supervisor.activeRenders }],
    );
    const untried = running.filter(({ supervisor }) => !tried.has(supervisor));
    const candidates = untried.length > 0 ? untried : running;
    return candidates.toSorted((left, right) => left.load - right.load)[0]?.supervisor ?? null;
  }

  #outage(): Outage | null {
    const ranked = this.#outages()?.toSorted(
      (left, right) => CODES_BY_RECOVERY.indexOf(left.code) - CODES_BY_RECOVERY.indexOf(right.code),
    );
    return ranked?.[0] ?? null;
  }

  /** `null` while at least one browser is running or about to start. */
  #outages(): readonly Outage[] | null {
    const outages = this.#supervisors.flatMap(({ outage }) => (outage === null ? [] : [outage]));
    return outages.length === this.#supervisors.length ? outages : null;
  }

  async #waitForChange(): Promise<void> {
    await Promise.race(this.#supervisors.map((supervisor) => supervisor.changed));
  }
}
