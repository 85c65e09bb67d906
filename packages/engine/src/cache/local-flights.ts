import type { Urgency } from "../ports/flights.ts";

/** How a render ended, for those who waited for it. */
export type Landing =
  | { readonly hasLanded: true }
  /** What it failed of; `null` where that concerns the one who made it alone. */
  | { readonly hasLanded: false; readonly failure: unknown };

/** A render under way in this process. */
export interface LocalFlight {
  /** Resolves when somebody interactive waits for it. */
  readonly hurried: Promise<void>;
  readonly isHurried: boolean;
  readonly landing: Promise<Landing>;
  hurry(): void;
  /** Of several ends the first counts. */
  end(landing: Landing): void;
}

/** Which renders are under way in this process. */
export class LocalFlights {
  readonly #flights = new Map<string, LocalFlight>();

  /** Joins the flight of a name, or begins it: then whoever asked has to end it. */
  board(name: string, urgency: Urgency): { readonly flight: LocalFlight; readonly isLed: boolean } {
    const known = this.#flights.get(name);
    if (known === undefined) return { flight: this.#begin(name), isLed: true };
    if (urgency === "interactive") known.hurry();
    return { flight: known, isLed: false };
  }

  #begin(name: string): LocalFlight {
    const hurried = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<Landing>();
    let isHurried = false;
    const flight: LocalFlight = {
      hurried: hurried.promise,
      get isHurried() {
        return isHurried;
      },
      landing: ended.promise,
      hurry: () => {
        isHurried = true;
        hurried.resolve();
      },
      end: (landing) => {
        if (this.#flights.get(name) === flight) this.#flights.delete(name);
        ended.resolve(landing);
      },
    };
    this.#flights.set(name, flight);
    return flight;
  }
}
