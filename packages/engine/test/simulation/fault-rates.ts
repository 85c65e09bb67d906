import type { SeededRandom } from "./seeded-random.ts";

/** What can go wrong with a call to the storage. A call takes effect at one instant, for all processes. */
export type CallFault =
  /** It fails without an effect. */
  | "refused"
  /** It takes effect, but its response is lost. */
  | "response-lost"
  /** It fails, and takes effect afterwards. */
  | "late"
  /** It takes effect twice, because the storage retries a call without a response; the second result is returned. */
  | "repeated"
  /** It takes up to a minute. */
  | "slow"
  /** The process is killed before the response arrives; the call might or might not take effect. */
  | "killed";

/** How often things go wrong: each number is a probability. */
export interface FaultRates {
  readonly calls: Readonly<Record<CallFault, number>>;
  /** On a call, the whole process is suspended for up to a minute. */
  readonly suspension: number;
  /** After a failed call, the process cannot reach the storage for up to a minute. */
  readonly outage: number;
  /** A render fails. */
  readonly render: number;
  /** Name resolution fails. */
  readonly resolver: number;
  /** A receiver fails, or its response is lost. */
  readonly receiver: number;
}

export const NO_FAULTS: FaultRates = {
  calls: { refused: 0, "response-lost": 0, late: 0, repeated: 0, slow: 0, killed: 0 },
  suspension: 0,
  outage: 0,
  render: 0,
  resolver: 0,
  receiver: 0,
};

/** Draws rates for a simulation in which only pages, name servers and receivers fail. */
export function drawCalmRates(draw: SeededRandom): FaultRates {
  return { ...NO_FAULTS, render: draw.next() / 3, resolver: draw.next() / 10, receiver: draw.next() / 2 };
}

/** Draws rates. Each kind of fault is absent from half of the simulations, so frequent kinds don't hide rare ones. */
export function drawFaultRates(draw: SeededRandom): FaultRates {
  const sometimes = (rate: number): number => (draw.chance(0.5) ? rate * (0.5 + draw.next()) : 0);
  return {
    calls: {
      refused: sometimes(0.02),
      "response-lost": sometimes(0.03),
      late: sometimes(0.015),
      repeated: sometimes(0.015),
      slow: sometimes(0.008),
      killed: sometimes(0.006),
    },
    suspension: sometimes(0.002),
    outage: sometimes(0.5),
    render: sometimes(0.4),
    resolver: sometimes(0.1),
    receiver: sometimes(0.5),
  };
}
