import { DAY_MS, dayOf } from "../days.ts";
import type { HistoryEntry, UsageTotals } from "../ports/history.ts";

/** The fields of a finished capture that the totals use. */
type CountedCapture = Pick<
  HistoryEntry,
  "at" | "accountId" | "tokenId" | "cache" | "creditCost" | "durationMs"
>;

type Counters = { -readonly [Name in keyof UsageTotals]: UsageTotals[Name] };

/** Adds up captures by day and token, until `take` removes the totals. */
export class DailyTotals {
  readonly #totals = new Map<string, Counters>();

  get size(): number {
    return this.#totals.size;
  }

  add({ at, accountId, tokenId, cache, creditCost, durationMs }: CountedCapture): void {
    const name = `${Math.floor(at / DAY_MS)}:${tokenId}`;
    let totals = this.#totals.get(name);
    if (totals === undefined) {
      totals = { day: dayOf(at), accountId, tokenId, ...ZEROS };
      this.#totals.set(name, totals);
    }
    totals.credits += creditCost;
    if (cache === null) totals.failures += 1;
    else if (cache === "hit") totals.hits += 1;
    else {
      totals.renders += 1;
      totals.renderMs += durationMs;
      totals.longestRenderMs = Math.max(totals.longestRenderMs, durationMs);
    }
  }

  /** Removes the oldest totals, at most `limit`, and returns them. */
  take(limit: number): readonly UsageTotals[] {
    const taken: UsageTotals[] = [];
    for (const [name, totals] of this.#totals) {
      if (taken.length >= limit) break;
      this.#totals.delete(name);
      taken.push(totals);
    }
    return taken;
  }
}

const ZEROS = { renders: 0, hits: 0, failures: 0, credits: 0, renderMs: 0, longestRenderMs: 0 } as const;
