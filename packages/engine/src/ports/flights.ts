/** Interactive renders go before batch renders, always. */
export type Urgency = "interactive" | "batch";

/** Names a render under way, and who has it. */
export interface FlightClaim {
  /** What is rendered, for whom: any text. */
  readonly name: string;
  /** Names one render of one process; never used again. */
  readonly holder: string;
}

export interface TakeRequest extends FlightClaim {
  readonly leaseMs: number;
  readonly urgency: Urgency;
}

/**
 * `taken`: this holder has the flight now. `hurried`: so it has, and somebody who was refused it meanwhile is
 * interactive. `held`: another has it, or it lingers.
 */
export type FlightState = "taken" | "hurried" | "held";

/**
 * Which renders are under way, over all processes that share a storage: identical requests that meet
 * on different machines are rendered once. A hint, no lock: where two render all the same, each is
 * charged for what it rendered, and the later one is kept.
 */
export interface FlightStore {
  /**
   * Takes a flight that nobody else has, or keeps the one that this holder has, for `leaseMs` from now on
   * by the storage's own clock.
   */
  take(request: TakeRequest): Promise<FlightState>;
  /**
   * Gives up a flight, if this holder has it. Nobody can take it for another `lingerMs`: whoever looked
   * for the rendering just before it was kept then looks again, instead of rendering it again.
   */
  end(request: FlightClaim & { readonly lingerMs: number }): Promise<void>;
}

/** For a storage that no other process shares: nobody else has a flight. */
export const NO_OTHER_PROCESS: FlightStore = { take: async () => "taken", end: async () => {} };
