import { availableParallelism } from "node:os";
import type { DueItem } from "../ports/batches.ts";
import type { BatchParts } from "./batch-parts.ts";
import { claimItem, renewItem, runItem, type HeldItem } from "./item-worker.ts";

/** Accounts that are looked at for the next turn, the longest waiting first. */
const MAX_ACCOUNTS = 1000;

/** As many items wait for a turn at most: enough for one to be there when it comes, few that wait in vain. */
const WAITING_MAX = availableParallelism();

/** Takes due items as slots come free, and holds them until they are finished. */
export class ItemClaimer {
  readonly #parts: BatchParts;
  readonly #onFinished: () => void;
  readonly #held = new Map<HeldItem, Promise<void>>();
  /** Number of the turn in which each waiting account was last served. */
  #servedIn = new Map<string, number>();
  #turn = 0;

  constructor(parts: BatchParts, onFinished: () => void) {
    this.#parts = parts;
    this.#onFinished = onFinished;
  }

  /** Begins due items until there is no free slot or none is due. */
  async take(isStopped: () => boolean): Promise<void> {
    while (!isStopped() && this.#room() > 0) {
      const next = await this.#next();
      if (next === null) return;
      const held = await claimItem(this.#parts, next);
      if (held !== null) this.#held.set(held, this.#run(held));
    }
  }

  /** Tells the storage that every held item is still worked on. */
  renew(): void {
    for (const held of this.#held.keys()) renewItem(this.#parts, held).catch(this.#parts.onBackgroundError);
  }

  /** Resolves once nothing is held. */
  async idle(): Promise<void> {
    await Promise.all(this.#held.values());
  }

  #room(): number {
    const { concurrency, load } = this.#parts;
    const { running, waiting, batch } = load();
    const notStarted = this.#held.size - batch.running;
    const interactiveWaiting = waiting - batch.waiting;
    return Math.min(
      concurrency - Math.max(running + waiting, this.#held.size),
      WAITING_MAX - notStarted - interactiveWaiting,
    );
  }

  /**
   * The account with the fewest items in hand goes first and, of several, the one that was served the
   * longest ago: long batches, of however many accounts, delay a short one little.
   */
  async #next(): Promise<DueItem | null> {
    const { batches, clock, concurrency } = this.#parts;
    const inHand = new Map<string, number>();
    for (const { batch } of this.#held.keys())
      inHand.set(batch.accountId, (inHand.get(batch.accountId) ?? 0) + 1);
    const maxPerAccount = Math.max(1, concurrency - 2);
    const full = [...inHand].filter(([, count]) => count >= maxPerAccount).map(([accountId]) => accountId);
    const due = await batches.dueItems({ now: clock.now(), limit: MAX_ACCOUNTS, exceptAccounts: full });
    const heldBy = ({ accountId }: DueItem): number => inHand.get(accountId) ?? 0;
    const servedIn = ({ accountId }: DueItem): number => this.#servedIn.get(accountId) ?? 0;
    const [next = null] = due.toSorted((a, b) => heldBy(a) - heldBy(b) || servedIn(a) - servedIn(b));
    this.#turn += 1;
    // Who doesn't wait any more is forgotten.
    this.#servedIn = new Map(due.map((item) => [item.accountId, servedIn(item)]));
    for (const accountId of full) this.#servedIn.set(accountId, this.#turn);
    if (next !== null) this.#servedIn.set(next.accountId, this.#turn);
    return next;
  }

  async #run(held: HeldItem): Promise<void> {
    try {
      await runItem(this.#parts, held);
    } catch (error) {
      // Left to its lease: whoever claims it then begins it again.
      this.#parts.onBackgroundError(error);
    }
    this.#held.delete(held);
    this.#onFinished();
  }
}
