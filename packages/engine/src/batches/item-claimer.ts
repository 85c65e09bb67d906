import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import type { DueItem } from "../ports/batches.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";
import { claimItem, renewItem, runItem, type ClaimedItem } from "./item-worker.ts";

/** Maximum number of accounts to consider for the next item, longest-waiting first. */
const MAX_ACCOUNTS = 1000;

/** Maximum number of an account's claimed items that wait for a slot: enough that one is ready for the next slot. */
const MAX_WAITING_PER_ACCOUNT = availableParallelism();

/** Maximum for all accounts outside quarantine together: one more, so an account at its limit does not stop others. */
const MAX_WAITING = MAX_WAITING_PER_ACCOUNT + 1;

/** Claims due items shortly before they get a slot; renews their leases until they are finished or postponed. */
export class ItemClaimer {
  readonly #dependencies: BatchDependencies;
  readonly #onFinished: () => void;
  readonly #claimed = new Map<ClaimedItem, Promise<void>>();
  /** The claimed items that still wait for a slot. */
  readonly #waiting = new Set<ClaimedItem>();
  /** Round in which each account with due items was last served. */
  #lastServedRounds = new Map<string, number>();
  #round = 0;

  constructor(dependencies: BatchDependencies, onFinished: () => void) {
    this.#dependencies = dependencies;
    this.#onFinished = onFinished;
  }

  /** Claims and starts due items until enough of them wait for a slot, or no item is due. */
  async claimDue(isStopped: () => boolean): Promise<void> {
    // only one item per turn of the event loop: with SQLite, hundreds of items that fail immediately would block it
    for (; !isStopped() && this.#countClaimable() > 0; await setImmediate()) {
      const next = await this.#takeNext();
      if (next === null) return;
      const claimed = await claimItem(this.#dependencies, next);
      if (claimed === null) continue;
      this.#waiting.add(claimed);
      this.#claimed.set(claimed, this.#run(claimed));
    }
  }

  /** Renews the leases of all claimed items. */
  renew(): void {
    for (const claimed of this.#claimed.keys())
      renewItem(this.#dependencies, claimed).catch(this.#dependencies.onBackgroundError);
  }

  /** Resolves when all claimed items are finished or postponed. */
  async waitUntilIdle(): Promise<void> {
    await Promise.all(this.#claimed.values());
  }

  /** Number of items to claim now. */
  #countClaimable(): number {
    const { concurrency, quarantine, scheduler } = this.#dependencies;
    const { running } = scheduler.load();
    const items = [...this.#waiting].filter((claimed) => !quarantine.has(claimed.batch.accountId));
    return Math.min(
      concurrency - Math.max(running, this.#claimed.size),
      MAX_WAITING - items.length - scheduler.countCompetingRenders(),
    );
  }

  /**
   * Returns the next item and records its account as served. The account with the fewest claimed items comes first;
   * ties go to the one served longest ago. This way, long batches from many accounts hardly delay a short one.
   * Accounts in quarantine come last, with one claimed item each; of all their items, at most one waits for a slot.
   */
  async #takeNext(): Promise<DueItem | null> {
    const { batches, clock, concurrency, quarantine, scheduler } = this.#dependencies;
    const isQuarantined = (accountId: string): boolean => quarantine.has(accountId);
    const counts = countByAccount(this.#claimed.keys());
    const waiting = countByAccount(this.#waiting);
    const maxPerAccount = Math.max(1, concurrency - 2);
    const isBusy = ([accountId, count]: readonly [string, number]): boolean =>
      isQuarantined(accountId) ||
      count >= maxPerAccount ||
      (waiting.get(accountId) ?? 0) >= MAX_WAITING_PER_ACCOUNT;
    const busy = [...counts].filter(isBusy).map(([accountId]) => accountId);
    const busyAccountIds = [...new Set([...busy, ...scheduler.busyQuarantinedAccounts()])];
    const due = await batches.dueItems({
      now: clock.now(),
      limit: MAX_ACCOUNTS,
      exceptAccounts: busyAccountIds,
    });
    const rankOf = ({ accountId }: DueItem): number => (isQuarantined(accountId) ? 1 : 0);
    const countOf = ({ accountId }: DueItem): number => counts.get(accountId) ?? 0;
    const lastServedRoundOf = ({ accountId }: DueItem): number => this.#lastServedRounds.get(accountId) ?? 0;
    const isQuarantinedItemWaiting = [...waiting.keys()].some(isQuarantined);
    const [next = null] = due
      .filter(({ accountId }) => !(isQuarantinedItemWaiting && isQuarantined(accountId)))
      .toSorted(
        (a, b) =>
          rankOf(a) - rankOf(b) || countOf(a) - countOf(b) || lastServedRoundOf(a) - lastServedRoundOf(b),
      );
    this.#round += 1;
    // drops accounts without due items
    this.#lastServedRounds = new Map(due.map((item) => [item.accountId, lastServedRoundOf(item)]));
    for (const accountId of busyAccountIds) this.#lastServedRounds.set(accountId, this.#round);
    if (next !== null) this.#lastServedRounds.set(next.accountId, this.#round);
    return next;
  }

  async #run(claimed: ClaimedItem): Promise<void> {
    try {
      await runItem(this.#dependencies, claimed, () => this.#waiting.delete(claimed));
    } catch (error) {
      // the item is claimed again when its lease expires
      this.#dependencies.onBackgroundError(error);
    }
    this.#waiting.delete(claimed);
    this.#claimed.delete(claimed);
    this.#onFinished();
  }
}

function countByAccount(items: Iterable<ClaimedItem>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { batch } of items) counts.set(batch.accountId, (counts.get(batch.accountId) ?? 0) + 1);
  return counts;
}
