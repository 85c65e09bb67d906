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
  /** The render has started: requests that joined it wait for its end. */
  begin(): void;
  /** Of several ends of one leader the first counts. */
  end(landing: Landing): void;
}

/** What became of a wait: somebody else's rendering or failure, or the lead. */
export type Boarding =
  Exclude<Landing, { state: "alone" }> | { readonly state: "leads"; readonly flight: LocalFlight };

export interface BoardRequest {
  readonly urgency: Urgency;
  /** Aborts when the request no longer waits for a render that has not started. */
  readonly patience?: AbortSignal;
}

/** Which renders are under way in this process. */
export class LocalFlights {
  readonly #flights = new Map<string, SharedFlight>();

  /**
   * Leads the flight of a name, or waits for it. Where the leader fails alone, the first of those who wait
   * leads, and the others go on waiting.
   *
   * @throws the reason of `patience` when that aborts before the render has started.
   */
  async board(name: string, request: BoardRequest): Promise<Boarding> {
    const known = this.#flights.get(name);
    if (known !== undefined) return known.join(request);
    const flight = new SharedFlight(() => this.#flights.delete(name));
    this.#flights.set(name, flight);
    return { state: "leads", flight: flight.lead() };
  }
}

interface Waiting extends PromiseWithResolvers<Boarding> {
  readonly patience: AbortSignal | undefined;
}

class SharedFlight {
  #waiting: Waiting[] = [];
  readonly #hurried = Promise.withResolvers<void>();
  readonly #onEnd: () => void;
  #isHurried = false;
  #hasBegun = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  join({ urgency, patience }: BoardRequest): Promise<Boarding> {
    if (urgency === "interactive") this.#hurry();
    const waiting = { ...Promise.withResolvers<Boarding>(), patience };
    this.#waiting.push(waiting);
    patience?.addEventListener("abort", () => this.#rejectImpatient());
    return waiting.promise;
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
      begin: () => {
        this.#hasBegun = true;
      },
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
      // The next leader waits for its own turn.
      this.#hasBegun = false;
      this.#rejectImpatient();
      const next = this.#waiting.shift();
      if (next === undefined) this.#onEnd();
      else next.resolve({ state: "leads", flight: this.lead() });
      return;
    }
    this.#onEnd();
    for (const { resolve } of this.#waiting) resolve(landing);
  }

  #rejectImpatient(): void {
    if (this.#hasBegun) return;
    for (const { patience, reject } of this.#waiting) if (patience?.aborted) reject(patience.reason);
    this.#waiting = this.#waiting.filter(({ patience }) => !patience?.aborted);
  }
}
