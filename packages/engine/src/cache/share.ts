import type { SnapParameters } from "@snap/protocol";
import { isSnapError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { FlightClaim, FlightState, FlightStore, Urgency } from "../ports/flights.ts";
import type { Random } from "../ports/random.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import { startPatience } from "../schedule/scheduler.ts";
import type { Boarding, LocalFlight, LocalFlights } from "./local-flights.ts";
import { lookUp, suits, waitsStrictly } from "./look-up.ts";
import type { RenderingCache } from "./rendering-cache.ts";

/** A process that was lost holds up those who wait for it for no longer. */
const LEASE_MS = 6_000;
/** A lease survives the loss of several renewals, and a leader soon hears that somebody is in a hurry. */
const RENEW_INTERVAL_MS = 1_000;
/** As long as a rendering may take to be kept. */
const LINGER_MS = LEASE_MS;
/** Of a page that fails for one process after the other, the last would wait for all of them. */
const LONGEST_WAIT_MS = 60_000;
/** Until the next look whether another process has finished. */
const LOOK_AGAIN_MS = 50;

export interface ShareParts {
  readonly cache: RenderingCache;
  readonly localFlights: LocalFlights;
  readonly flights: FlightStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly onBackgroundError: (error: unknown) => void;
}

export interface ShareRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly urgency: Urgency;
  /** Instant from which the wait counts. */
  readonly askedAt: number;
  /** Longest wait for another request's render to start; as long as its leader waits unless given. */
  readonly maxWaitMs?: number | undefined;
}

/** A render that has to be made here, and that identical requests wait for. */
export interface LedRender {
  readonly isLed: true;
  /** Resolves when somebody interactive waits for it, too; `null` where nobody can. */
  readonly hurried: Promise<void> | null;
  /** The render has started: requests that joined it wait for its end. */
  readonly begin: () => void;
  /** Ends it with a rendering, once that is `kept`: whoever waits gets it. Rejects as `kept` does. */
  land(rendering: StoredRendering, kept: Promise<void>): Promise<void>;
  /**
   * Ends it with a failure, which those who wait share; where it concerns the leader alone, one of them leads.
   * Nothing behind a rendering that has landed.
   */
  fail(error: unknown): void;
}

/** What somebody else has rendered. */
export interface JoinedRender {
  readonly isLed: false;
  readonly rendering: StoredRendering;
}

/** Nobody shares what was asked for with `cache: false`. */
const UNSHARED: LedRender = {
  isLed: true,
  hurried: null,
  begin: () => {},
  land: (_rendering, kept) => kept,
  fail: () => {},
};

/**
 * Waits for the identical render that is under way, in this process or another, or leads it.
 *
 * @throws what the render failed of that was waited for, unless that concerned its leader alone.
 * @throws SnapError `upstream_rate_limited` when that has not started within `maxWaitMs`.
 */
export async function share(parts: ShareParts, request: ShareRequest): Promise<LedRender | JoinedRender> {
  const { key, parameters } = request;
  if (!parameters.cache) return UNSHARED;
  // a capture that was cut short is not what a strict wait has asked for
  const name = `${waitsStrictly(parameters) ? "strict" : "capped"}:${key.key}:${key.accountId}`;
  for (;;) {
    const boarded = await board(parts, { ...request, name });
    if (boarded.state === "leads") return lead(parts, { ...request, name, flight: boarded.flight });
    // as it was thrown to the leader
    if (boarded.state === "failed") throw boarded.failure;
    const { rendering } = boarded;
    if (rendering.expiresAt > parts.clock.now()) return { isLed: false, rendering };
  }
}

/** Leads the render of a name or joins it, for `maxWaitMs` unless it starts by then. */
async function board(
  { localFlights, clock }: ShareParts,
  { name, urgency, askedAt, maxWaitMs }: ShareRequest & { readonly name: string },
): Promise<Boarding> {
  if (maxWaitMs === undefined) return localFlights.board(name, { urgency });
  const { signal, callOff } = startPatience(clock, askedAt + maxWaitMs - clock.now());
  try {
    return await localFlights.board(name, { urgency, patience: signal });
  } finally {
    callOff();
  }
}

interface LeadRequest extends ShareRequest {
  readonly name: string;
  readonly flight: LocalFlight;
}

/**
 * Leads the render, once no other process does: a minute at most is waited for one, or `maxWaitMs`. Nothing tells
 * whether the other process renders or waits, so all of it counts as waiting for a turn: after `maxWaitMs` the
 * request renders here if a slot is free, and fails otherwise.
 */
async function lead(parts: ShareParts, request: LeadRequest): Promise<LedRender | JoinedRender> {
  const { clock, cache, flights } = parts;
  const { key, parameters, name, flight, urgency, askedAt, maxWaitMs = Infinity } = request;
  try {
    // it may have landed between our look for it and our turn
    const landed = cache.recall(key);
    if (landed !== null && suits(landed, parameters)) return join(flight, landed);
    const claim = { name, holder: Buffer.from(parts.random.bytes(16)).toString("hex") };
    const waitsUntil = Math.min(clock.now() + LONGEST_WAIT_MS, askedAt + maxWaitMs);
    const take = (): Promise<FlightState> =>
      flights.take({ ...claim, leaseMs: LEASE_MS, urgency: flight.isHurried ? "interactive" : urgency });
    while ((await take()) === "held") {
      if (clock.now() >= waitsUntil) break;
      await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve));
      const made = await lookUp(cache, request);
      if (made !== null) return join(flight, made);
    }
    return keepFlight(parts, flight, claim);
  } catch (error) {
    flight.end({ state: "failed", failure: error });
    throw error;
  }
}

function join(flight: LocalFlight, rendering: StoredRendering): JoinedRender {
  flight.end({ state: "landed", rendering });
  return { isLed: false, rendering };
}

/** Keeps the flight for as long as the render takes. */
function keepFlight(
  { clock, flights, onBackgroundError }: ShareParts,
  flight: LocalFlight,
  claim: FlightClaim,
): LedRender {
  let callOff = (): void => {};
  const renew = async (): Promise<void> => {
    const state = await flights.take({ ...claim, leaseMs: LEASE_MS, urgency: "batch" });
    if (state === "hurried") flight.hurry();
  };
  const renewLater = (): void => {
    callOff = clock.after(RENEW_INTERVAL_MS, () => {
      renew().catch(onBackgroundError);
      renewLater();
    });
  };
  renewLater();
  const end = (lingerMs: number): void => {
    callOff();
    flights.end({ ...claim, lingerMs }).catch(onBackgroundError);
  };
  return {
    isLed: true,
    hurried: flight.hurried,
    begin: () => flight.begin(),
    async land(rendering, kept) {
      // sent along with it; the linger covers the time until it is there
      end(LINGER_MS);
      await kept;
      flight.end({ state: "landed", rendering });
    },
    fail(error) {
      end(0);
      flight.end(concernsLeaderAlone(error) ? { state: "alone" } : { state: "failed", failure: error });
    },
  };
}

/** A refusal that says nothing about the page: an identical request is judged for itself. */
function concernsLeaderAlone(error: unknown): boolean {
  return isSnapError(error) && LEADERS_REFUSALS.has(error.code);
}

const LEADERS_REFUSALS: ReadonlySet<string> = new Set([
  "rate_limited",
  "no_active_plan",
  "credit_limit_reached",
  // it was not patient enough, or came to a full queue
  "upstream_rate_limited",
]);
