import { setImmediate } from "node:timers/promises";
import type { DueDelivery } from "../ports/batches.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";
import { claimDelivery, deliver, type ClaimedDelivery } from "./deliver.ts";

/** Maximum number of concurrent attempts; each needs little more than a socket. */
const MAX_DELIVERIES = 64;
/** Per account, so one account's slow receivers do not delay other accounts' deliveries. */
const MAX_PER_ACCOUNT = 4;
/** Grace period for attempts still running when the worker stops. */
const STOP_GRACE_MS = 3_000;

/** Claims due deliveries and attempts them. */
export class DeliveryClaimer {
  readonly #dependencies: BatchDependencies;
  readonly #onFinished: () => void;
  readonly #sending = new Map<ClaimedDelivery, Promise<void>>();
  readonly #abortController = new AbortController();

  constructor(dependencies: BatchDependencies, onFinished: () => void) {
    this.#dependencies = dependencies;
    this.#onFinished = onFinished;
  }

  /** Starts due attempts until a limit is reached or no delivery is due. */
  async claimDue(isStopped: () => boolean): Promise<void> {
    for (let hasClaimed = true; hasClaimed && !isStopped();) {
      hasClaimed = false;
      for (const { batchId } of await this.#findDue()) {
        if (isStopped()) return;
        const claimed = await claimDelivery(this.#dependencies, batchId);
        if (claimed !== null) {
          hasClaimed = true;
          this.#sending.set(claimed, this.#run(claimed));
        }
        // only one delivery per turn of the event loop: with SQLite, hundreds of them would block it
        await setImmediate();
      }
    }
  }

  /** Waits briefly for running attempts, then aborts the rest, which are retried later. */
  async stop(): Promise<void> {
    const cancelAbort = this.#dependencies.clock.after(STOP_GRACE_MS, () => this.#abortController.abort());
    await Promise.all(this.#sending.values());
    cancelAbort();
  }

  /** Returns due deliveries of accounts below their limit, at most one per account. */
  async #findDue(): Promise<readonly DueDelivery[]> {
    const free = MAX_DELIVERIES - this.#sending.size;
    if (free <= 0) return [];
    const byAccount = Map.groupBy(this.#sending.keys(), ({ batch }) => batch.accountId);
    const accountsAtLimit = [...byAccount]
      .filter(([, claimed]) => claimed.length >= MAX_PER_ACCOUNT)
      .map(([accountId]) => accountId);
    const { batches, clock } = this.#dependencies;
    return batches.dueDeliveries({ now: clock.now(), limit: free, exceptAccounts: accountsAtLimit });
  }

  async #run(claimed: ClaimedDelivery): Promise<void> {
    try {
      await deliver(this.#dependencies, claimed, this.#abortController.signal);
    } catch (error) {
      // the delivery is claimed again when its lease expires
      this.#dependencies.onBackgroundError(error);
    }
    this.#sending.delete(claimed);
    this.#onFinished();
  }
}
