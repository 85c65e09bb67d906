import type { Boarding, BoardRequest, FlightStore, RenderingStore } from "@snap/engine";
import { budgetKey } from "../budgets/budgets.ts";
import type { LocalBudgets } from "../budgets/local-budgets.ts";
import type { RedisConnection } from "../connection/connect.ts";
import { keyOf } from "../key-of.ts";
import { renderingKey } from "../renderings/keyv-renderings.ts";

export interface FlightStoreOptions {
  readonly keyPrefix: string;
  /** For while Redis can't be used. */
  readonly localBudgets: LocalBudgets;
  readonly renderings: RenderingStore;
  /** Whether that is this Redis. */
  readonly areHere: boolean;
}

/** Renders under way. While Redis can't be used every process renders for itself. */
export function createFlightStore(
  { client, attempt }: RedisConnection,
  { keyPrefix, localBudgets, renderings, areHere }: FlightStoreOptions,
): FlightStore {
  const keyOfFlight = (name: string): string => keyOf(keyPrefix, "flight", name);
  const boardAlone = ({ spend }: BoardRequest): Boarding => {
    const spent = localBudgets.spend(spend);
    return { state: spent.allowed ? "boarded" : "refused", spent };
  };
  const end: FlightStore["end"] = ({ name, ...claim }) =>
    attempt(
      () => client.endFlight(keyOfFlight(name), claim),
      () => {},
    );
  return {
    async board(request) {
      const { name, unlessKept, spend } = request;
      if (unlessKept !== null && !areHere) {
        const isKept = (await renderings.peek({ ...unlessKept, now: spend.now })) !== null;
        if (isKept) return { state: "kept" };
      }
      const keys = {
        flight: keyOfFlight(name),
        budget: budgetKey(keyPrefix, spend),
        rendering: unlessKept !== null && areHere ? renderingKey(keyPrefix, unlessKept) : null,
      };
      return attempt(
        () => client.boardFlight(keys, request),
        () => boardAlone(request),
      );
    },
    take: ({ name, ...claim }) =>
      attempt(
        () => client.takeFlight(keyOfFlight(name), claim),
        () => true,
      ),
    async land({ name, holder, lingerMs, ...kept }) {
      const put = renderings.put(kept);
      // Into one Redis both are sent together: one round trip. The linger outlasts whichever is done first.
      if (!areHere) await put;
      await Promise.all([put, end({ name, holder, lingerMs })]);
    },
    end,
  };
}
