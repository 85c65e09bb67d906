import type { Urgency } from "../ports/flights.ts";
import type { StoredRendering } from "../ports/renderings.ts";

/** How a render ended, for those who waited for it. `alone`: its failure concerns whoever made it alone. */
export type Landing =
  | { readonly state: "landed"; readonly rendering: StoredRendering }
  | { readonly state: "failed"; readonly failure: unknown }
  | { readonly state: "alone" };

/** A render under way in this process, as whoever leads it sees it. */
export interface LocalFlight {
  /** Resolves when somebody interactive waits for it. */
  readonly hurried: Promise<void>;
  readonly isHurried: boolean;
  hurry(): void;
  /** Of several ends of one leader the first counts. */
  end(landing: Landing): void;
}

/** What became of a wait: somebody else's rendering or failure, or the lead. */
export type Boarding =
  Exclude<Landing, { state: "alone" }> | { readonly state: "leads"; readonly flight: LocalFlight };

/** Which renders are under way in this process. */
export class LocalFlights {
  readonly #flights = new Map<string, SharedFlight>();

  /**
   * Leads the flight of a name, or waits for it. Where the leader fails alone, the first of those who wait
   * leads, and the others go on waiting.
   */
  async board(name: string, urgency: Urgency): Promise<Boarding> {
    const known = this.#flights.get(name);
    if (known !== undefined) return known.join(urgency);
    const flight = new SharedFlight(() => this.#flights.delete(name));
    this.#flights.set(name, flight);
    return { state: "leads", flight: flight.lead() };
  }
}

class SharedFlight {
  readonly #waiting: ((boarding: Boarding) => void)[] = [];
  readonly #hurried = Promise.withResolvers<void>();
  readonly #onEnd: () => void;
  #isHurried = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  join(urgency: Urgency): Promise<Boarding> {
    if (urgency === "interactive") this.#hurry();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  lead(): LocalFlight {
    let hasEnded = false;
    const isHurried = (): boolean => this.#isHurried;
    return {
      hurried: this.#hurried.promise,
      get isHurried() {
        return isHurried();
      },
      hurry: () => this.#hurry(),
      end: (landing) => {
        if (hasEnded) return;
        hasEnded = true;
        this.#end(landing);
      },
    };
  }

  #hurry(): void {
    this.#isHurried = true;
    this.#hurried.resolve();
  }

  #end(landing: Landing): void {
    if (landing.state === "alone") {
      const next = this.#waiting.shift();
      if (next === undefined) this.#onEnd();
      else next({ state: "leads", flight: this.lead() });
      return;
    }
    this.#onEnd();
    for (const tell of this.#waiting) tell(landing);
  }
}
