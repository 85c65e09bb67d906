import type { SpendOutcome, SpendRequest } from "./budgets.ts";
import type { RenderingKey, StoredRendering } from "./renderings.ts";

/** Names a render under way, and who has it. */
export interface FlightClaim {
  /** What is rendered, for whom: any text. */
  readonly name: string;
  /** Names one render of one process; never used again. */
  readonly holder: string;
}

export interface BoardRequest extends FlightClaim {
  readonly leaseMs: number;
  /** What the render would make, as of the instant of the spend; `null` takes the flight whether that is kept or not. */
  readonly unlessKept: RenderingKey | null;
  /** What the render takes of a budget. */
  readonly spend: SpendRequest;
}

export interface LandRequest extends FlightClaim, RenderingKey {
  readonly rendering: StoredRendering;
  /** As of `end`; it covers the moment in which one of both is done and the other is not. */
  readonly lingerMs: number;
}

/**
 * `kept`: the rendering is there, or was until a moment ago. `held`: another has the flight. `refused`: the
 * budget has nothing left. With `boarded` alone the flight is taken, and the budget spent.
 */
export type Boarding =
  | { readonly state: "kept" | "held" }
  | { readonly state: "boarded" | "refused"; readonly spent: SpendOutcome };

/**
 * Which renders are under way, over all processes that share a storage: identical requests that meet
 * on different machines are rendered once. A hint, no lock: where two render all the same, each is
 * charged for what it rendered, and the later one is kept.
 */
export interface FlightStore {
  /** All that has to be settled with the other processes before a render, in one step: looked up in this order. */
  board(request: BoardRequest): Promise<Boarding>;
  /**
   * Takes a flight that nobody else has, or keeps the one that this holder has, for `leaseMs` from now on
   * by the storage's own clock; `false` while another has it.
   */
  take(request: FlightClaim & { readonly leaseMs: number }): Promise<boolean>;
  /**
   * Keeps what was rendered, as `RenderingStore.put` does, and ends the flight: whoever can take it then finds
   * the rendering. Where keeping it fails, the flight goes on.
   */
  land(request: LandRequest): Promise<void>;
  /**
   * Gives up a flight, if this holder has it. Nobody can take it for another `lingerMs`: whoever looked
   * for the rendering just before it was kept then looks again, instead of rendering it again.
   */
  end(request: FlightClaim & { readonly lingerMs: number }): Promise<void>;
}
