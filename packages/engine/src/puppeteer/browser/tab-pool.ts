import type { RendererHealth } from "../../ports/renderer.ts";
import { unless } from "../../timeouts.ts";
import type { UnavailableCode } from "./browser-unavailable.ts";
import {
  explainOutage,
  type Outage,
  type TabLease,
  type TabSource,
  type TabSupply,
  type WantedTab,
} from "./tab-supply.ts";

/** Of several browsers that can't be had, the answer is about the one that may be back the soonest. */
const SOONEST: readonly UnavailableCode[] = [
  "upstream_rate_limited",
  "upstream_error",
  "upstream_quota_exceeded",
];

/** Spreads renders over several browsers: those that are up, the least busy first, and in turn. */
export class TabPool implements TabSource {
  readonly #supplies: readonly TabSupply[];
  readonly closing: AbortSignal;
  #turn = 0;

  /** @param supplies - One at the least. */
  constructor(supplies: readonly [TabSupply, ...TabSupply[]]) {
    this.#supplies = supplies;
    this.closing = supplies[0].closing; // they are closed together
  }

  async acquire(wanted: WantedTab, signal: AbortSignal): Promise<TabLease> {
    for (;;) {
      signal.throwIfAborted();
      const supply = this.#leastBusy(wanted.tried);
      if (supply) return supply.acquire(wanted, signal);
      const outage = this.#outage();
      if (outage) throw explainOutage(outage);
      await unless(signal, this.#changed());
    }
  }

  async health(): Promise<RendererHealth> {
    while (!this.closing.aborted) {
      if (this.#supplies.some((supply) => supply.busy !== null)) return { ready: true, reason: null };
      const outages = this.#outages();
      if (outages) return { ready: false, reason: outages.map(({ reason }) => reason).join("; ") };
      await unless(this.closing, this.#changed()).catch(() => {}); // closed
    }
    return { ready: false, reason: "closed" };
  }

  async close(): Promise<void> {
    await Promise.all(this.#supplies.map((supply) => supply.close()));
  }

  /** One that was not tried before, if there is any. */
  #leastBusy(tried: ReadonlySet<TabSource>): TabSupply | null {
    this.#turn = (this.#turn + 1) % this.#supplies.length;
    const inTurn = [...this.#supplies.slice(this.#turn), ...this.#supplies.slice(0, this.#turn)];
    const up = inTurn.flatMap((supply) => (supply.busy === null ? [] : [{ supply, busy: supply.busy }]));
    const fresh = up.filter(({ supply }) => !tried.has(supply));
    const candidates = fresh.length > 0 ? fresh : up;
    return candidates.toSorted((left, right) => left.busy - right.busy)[0]?.supply ?? null;
  }

  #outage(): Outage | null {
    const ranked = this.#outages()?.toSorted(
      (left, right) => SOONEST.indexOf(left.code) - SOONEST.indexOf(right.code),
    );
    return ranked?.[0] ?? null;
  }

  /** `null` while one of them may be up in a moment. */
  #outages(): readonly Outage[] | null {
    const outages = this.#supplies.flatMap(({ outage }) => (outage === null ? [] : [outage]));
    return outages.length === this.#supplies.length ? outages : null;
  }

  async #changed(): Promise<void> {
    await Promise.race(this.#supplies.map((supply) => supply.changed));
  }
}
