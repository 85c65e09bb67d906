import type { DueDelivery } from "../ports/batches.ts";
import type { BatchParts } from "./batch-parts.ts";
import { claimDelivery, deliver, type HeldDelivery } from "./deliver.ts";

/** So many webhooks are sent at once; each is little more than a socket. */
const MAX_DELIVERIES = 64;
/** Of one account, so that its receivers that hang don't hold up those of others. */
const MAX_PER_ACCOUNT = 4;
/** Attempts that run are given so long when the worker stops. */
const STOP_PATIENCE_MS = 3_000;

/** Takes due deliveries, one attempt at each at a time. */
export class DeliveryClaimer {
  readonly #parts: BatchParts;
  readonly #onFinished: () => void;
  readonly #sending = new Map<HeldDelivery, Promise<void>>();
  #wasCut = false;

  constructor(parts: BatchParts, onFinished: () => void) {
    this.#parts = parts;
    this.#onFinished = onFinished;
  }

  /** Begins the attempts that are due, until there is no room or none is left. */
  async take(isStopped: () => boolean): Promise<void> {
    for (let taken = true; taken && !isStopped();) {
      taken = false;
      for (const { batchId } of await this.#due()) {
        const held = await claimDelivery(this.#parts, batchId);
        if (held === null) continue;
        taken = true;
        this.#sending.set(held, this.#run(held));
      }
    }
  }

  /** Waits a little for what is being sent, and cuts the rest short: it is sent again by whoever is next. */
  async stop(): Promise<void> {
    const callOff = this.#parts.clock.after(STOP_PATIENCE_MS, () => {
      this.#wasCut = true;
      void this.#parts.webhookSender.close();
    });
    await Promise.all(this.#sending.values());
    callOff();
  }

  /** At most one of an account, of those with the fewest in hand. */
  async #due(): Promise<readonly DueDelivery[]> {
    const room = MAX_DELIVERIES - this.#sending.size;
    if (room <= 0) return [];
    const inHand = Map.groupBy(this.#sending.keys(), ({ batch }) => batch.accountId);
    const full = [...inHand]
      .filter(([, held]) => held.length >= MAX_PER_ACCOUNT)
      .map(([accountId]) => accountId);
    const { batches, clock } = this.#parts;
    return batches.dueDeliveries({ now: clock.now(), limit: room, exceptAccounts: full });
  }

  async #run(held: HeldDelivery): Promise<void> {
    try {
      await deliver(this.#parts, held, () => this.#wasCut);
    } catch (error) {
      // Left to its lease.
      this.#parts.onBackgroundError(error);
    }
    this.#sending.delete(held);
    this.#onFinished();
  }
}
