import type { FlightStore } from "@snap/engine/ports";

interface Flight {
  /** `null` while it only lingers. */
  readonly holder: string | null;
  readonly endsAt: number;
  readonly isHurried: boolean;
}

/**
 * Flights in memory, for engines that share a storage in a test. Leases go by `now`, which is the time of
 * day unless given.
 *
 * @example
 * const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
 * const shared = { ...createMemoryStorage(), flights: createMemoryFlights(clock.now) };
 */
export function createMemoryFlights(now: () => number = Date.now): FlightStore {
  const flights = new Map<string, Flight>();
  const find = (name: string): Flight | null => {
    const flight = flights.get(name);
    return flight === undefined || flight.endsAt <= now() ? null : flight;
  };
  return {
    async take({ name, holder, leaseMs, urgency }) {
      const flight = find(name);
      if (flight === null || flight.holder === holder) {
        const isHurried = flight?.isHurried ?? false;
        flights.set(name, { holder, endsAt: now() + leaseMs, isHurried });
        return isHurried ? "hurried" : "taken";
      }
      if (urgency === "interactive") flights.set(name, { ...flight, isHurried: true });
      return "held";
    },
    async end({ name, holder, lingerMs }) {
      if (find(name)?.holder !== holder) return;
      flights.set(name, { holder: null, endsAt: now() + lingerMs, isHurried: false });
    },
  };
}
