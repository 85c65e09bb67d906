import { deliver, type DeliveryParts } from "./deliver.ts";

export interface DeliveryTakerParts extends DeliveryParts {
  readonly onBackgroundError: (error: unknown) => void;
}

/** So many webhooks are sent at once: a receiver that hangs delays the others little. */
const MAX_DELIVERIES = 8;

/** Takes due deliveries, one attempt at each at a time. */
export class DeliveryTaker {
  readonly #parts: DeliveryTakerParts;
  readonly #onFinished: () => void;
  readonly #sending = new Map<string, Promise<void>>();

  constructor(parts: DeliveryTakerParts, onFinished: () => void) {
    this.#parts = parts;
    this.#onFinished = onFinished;
  }

  /** Begins the attempts that are due. */
  async take(): Promise<void> {
    if (this.#sending.size >= MAX_DELIVERIES) return;
    const { batches, clock } = this.#parts;
    for (const batchId of await batches.dueDeliveries({ now: clock.now(), limit: MAX_DELIVERIES }))
      if (this.#sending.size < MAX_DELIVERIES && !this.#sending.has(batchId))
        this.#sending.set(batchId, this.#run(batchId));
  }

  /** Resolves once nothing is being sent. */
  async idle(): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  async #run(batchId: string): Promise<void> {
    try {
      await deliver(this.#parts, batchId);
    } catch (error) {
      // Left to its lease.
      this.#parts.onBackgroundError(error);
    }
    this.#sending.delete(batchId);
    this.#onFinished();
  }
}
