/** How one of several identical calls got its value. */
export interface Shared<T> {
  readonly value: T;
  /** Whether this call did the work, or waited for the one that did. */
  readonly led: boolean;
}

/**
 * Lets concurrent calls under one name share one piece of work. A failure is shared too, unless it
 * concerns the leader alone: then the next call takes the lead.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>();
  readonly #concernsLeaderAlone: (error: unknown) => boolean;

  constructor(concernsLeaderAlone: (error: unknown) => boolean) {
    this.#concernsLeaderAlone = concernsLeaderAlone;
  }

  async share(name: string, work: () => Promise<T>): Promise<Shared<T>> {
    for (;;) {
      const flight = this.#flights.get(name);
      if (flight === undefined) return { value: await this.#lead(name, work), led: true };
      try {
        return { value: await flight, led: false };
      } catch (error) {
        if (!this.#concernsLeaderAlone(error)) throw error;
      }
    }
  }

  async #lead(name: string, work: () => Promise<T>): Promise<T> {
    const flight = work();
    this.#flights.set(name, flight);
    try {
      return await flight;
    } finally {
      this.#flights.delete(name);
    }
  }
}
