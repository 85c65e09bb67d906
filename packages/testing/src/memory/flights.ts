import type { FlightStore, Storage } from "@snap/engine";

interface Flight {
  /** `null` while it only lingers. */
  readonly holder: string | null;
  readonly endsAt: number;
}

/**
 * Flights in memory, for engines that share a storage in a test. Leases go by `now`, which is the time of
 * day unless given.
 *
 * @example
 * const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
 * const storage = createMemoryStorage();
 * const shared = { ...storage, flights: createMemoryFlights(storage, clock.now) };
 */
export function createMemoryFlights(
  { renderings, budgets }: Pick<Storage, "renderings" | "budgets">,
  now: () => number = Date.now,
): FlightStore {
  const flights = new Map<string, Flight>();
  const find = (name: string): Flight | null => {
    const flight = flights.get(name);
    return flight === undefined || flight.endsAt <= now() ? null : flight;
  };
  const end: FlightStore["end"] = async ({ name, holder, lingerMs }) => {
    if (find(name)?.holder !== holder) return;
    flights.set(name, { holder: null, endsAt: now() + lingerMs });
  };
  return {
    async board({ name, holder, leaseMs, unlessKept, spend }) {
      const isKept =
        unlessKept !== null && (await renderings.peek({ ...unlessKept, now: spend.now })) !== null;
      if (isKept) return { state: "kept" };
      const flight = find(name);
      if (flight !== null && flight.holder !== holder) return { state: "held" };
      // Taken before the budget answers, so that nobody else takes it meanwhile.
      flights.set(name, { holder, endsAt: now() + leaseMs });
      const spent = await budgets.spend(spend);
      if (spent.allowed) return { state: "boarded", spent };
      flights.delete(name);
      return { state: "refused", spent };
    },
    async take({ name, holder, leaseMs }) {
      const flight = find(name);
      if (flight !== null && flight.holder !== holder) return false;
      flights.set(name, { holder, endsAt: now() + leaseMs });
      return true;
    },
    async land({ name, holder, lingerMs, ...kept }) {
      await renderings.put(kept);
      await end({ name, holder, lingerMs });
    },
    end,
  };
}
