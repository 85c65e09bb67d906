import type { FlightStore } from "@snap/engine/ports";
import type { RedisConnection } from "../connection/connect.ts";
import { keyOf } from "../key-of.ts";

/** Renders under way. While Redis can't be used every process renders for itself. */
export function createFlightStore({ client, attempt }: RedisConnection, keyPrefix: string): FlightStore {
  const keyOfFlight = (name: string): string => keyOf(keyPrefix, "flight", name);
  return {
    take: ({ name, ...claim }) =>
      attempt(
        () => client.takeFlight(keyOfFlight(name), claim),
        () => "taken",
      ),
    end: ({ name, ...claim }) =>
      attempt(
        () => client.endFlight(keyOfFlight(name), claim),
        () => {},
      ),
  };
}
