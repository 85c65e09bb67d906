import { isIP } from "node:net";
import PQueue from "p-queue";
import { SharedLookups } from "../../egress/names/shared-lookups.ts";
import type { LookupOutcome, LookupQueue } from "../../egress/resolve.ts";

/** Maximum number of concurrent lookups; the page's others wait. */
const CONCURRENT_LOOKUPS_MAX = 8;
/** Maximum number of host names that a page may look up. */
const NAMES_PER_PAGE_MAX = 200;

/**
 * One page's lookups: a few at a time, for a limited number of names, and only once per name. So a
 * page with many unresolvable names, hostile or not, delays neither other pages nor its own
 * connections to hosts already resolved.
 */
export class PageLookups implements LookupQueue {
  readonly #queue = new PQueue({ concurrency: CONCURRENT_LOOKUPS_MAX });
  readonly #running = new SharedLookups<LookupOutcome>();
  readonly #outcomes = new Map<string, LookupOutcome>();
  readonly #names = new Set<string>();

  /** Counts the host if its name is new; returns whether the page may look it up. */
  admit(hostname: string): boolean {
    if (isIP(hostname) !== 0 || this.#names.has(hostname)) return true;
    if (this.#names.size >= NAMES_PER_PAGE_MAX) return false;
    this.#names.add(hostname);
    return true;
  }

  async run(
    hostname: string,
    signal: AbortSignal,
    lookUp: (signal: AbortSignal) => Promise<LookupOutcome>,
  ): Promise<LookupOutcome> {
    const known = this.#outcomes.get(hostname);
    if (known !== undefined) return known;
    return this.#running.join(hostname, signal, async (abandoned) => {
      const outcome = await this.#queue.add(() => lookUp(abandoned), { signal: abandoned });
      if (!abandoned.aborted) this.#outcomes.set(hostname, outcome);
      return outcome;
    });
  }
}
