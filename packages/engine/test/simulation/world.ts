import type { RenderLeases } from "../../src/ports/render-leases.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { FaultRates } from "./fault-rates.ts";
import type { ClientRequest, History } from "./history.ts";
import type { SimulatedProcess } from "./process.ts";
import type { Timeline } from "./timeline.ts";

/** The conditions of a simulation. */
export interface Conditions {
  /** Only pages, name servers and receivers fail: every rendering is charged, and no webhook is accepted twice. */
  readonly isCalm: boolean;
  /** A clock jumps by up to an hour. */
  readonly hasWildClocks: boolean;
  /** All other clocks are off by at most this. */
  readonly clockBoundMs: number;
  /** How long a batch item is retried after temporary failures. */
  readonly retryWindowMs: number;
  /** Processes share render leases. */
  readonly hasLeases: boolean;
  /** Cache, rate limits and render leases are in a store that processes can work without, such as Redis. */
  readonly hasSharedCache: boolean;
}

/** Who made a call. */
export interface Origin {
  readonly process: string;
  /** `null` for a worker, and for other background work. */
  readonly request: ClientRequest | null;
}

/** The simulated world: the processes, their shared storage, and the events so far. */
export interface World {
  readonly conditions: Conditions;
  readonly draw: SeededRandom;
  readonly timeline: Timeline;
  readonly history: History;
  /** The shared storage, without faults, as wrapped by `recordStorage`. */
  readonly storage: Storage & { readonly renderLeases: RenderLeases };
  readonly processes: SimulatedProcess[];
  faults: FaultRates;
  /** Calls that have not taken effect yet, including those of processes that have ended. */
  inFlight: number;
  /** Who made the call that takes effect now. */
  origin: Origin;
  violation: Violation | null;
  /** Records what is wrong; only the first violation counts. */
  reportViolation(message: string, ...ids: readonly string[]): void;
  /** Adds a line to the trace, if there is one. Text that begins with `*` concerns the whole process. */
  readonly trace: ((process: string, text: string) => void) | null;
}

/** A broken rule. */
export interface Violation {
  readonly message: string;
  /** What it concerns: requests, reservations, batches, items, accounts. */
  readonly ids: readonly string[];
}

export const NOBODY: Origin = { process: "-", request: null };
