import type { BoardRequest, FlightStore, RenderingStore, Boarding } from "@snap/engine";
import { budgetKey } from "../budgets/budgets.ts";
import type { LocalBudgets } from "../budgets/local-budgets.ts";
import type { RedisConnection } from "../connection/connect.ts";
import { keyOf } from "../key-of.ts";
import { renderingKey } from "../renderings/keyv-renderings.ts";

export interface FlightStoreOptions {
  readonly keyPrefix: string;
  /** For while Redis can't be used. */
  readonly localBudgets: LocalBudgets;
  /** Where renderings are kept when it isn't in this Redis; otherwise `null`. */
  readonly renderingsElsewhere: RenderingStore | null;
}

/** Renders under way. While Redis can't be used every process renders for itself. */
export function createFlightStore(
  { client, attempt }: RedisConnection,
  { keyPrefix, localBudgets, renderingsElsewhere }: FlightStoreOptions,
): FlightStore {
  const keyOfFlight = (name: string): string => keyOf(keyPrefix, "flight", name);
  const boardAlone = ({ spend }: BoardRequest): Boarding => {
    const spent = localBudgets.spend(spend);
    return { state: spent.allowed ? "boarded" : "refused", spent };
  };
  return {
    async board(request) {
      const { name, unlessKept, spend } = request;
      if (unlessKept !== null && renderingsElsewhere !== null) {
        const isKept = (await renderingsElsewhere.peek({ ...unlessKept, now: spend.now })) !== null;
        if (isKept) return { state: "kept" };
      }
      const isLookedFor = unlessKept !== null && renderingsElsewhere === null;
      const keys = {
        flight: keyOfFlight(name),
        budget: budgetKey(keyPrefix, spend),
        rendering: isLookedFor ? renderingKey(keyPrefix, unlessKept) : null,
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
    end: ({ name, ...claim }) =>
      attempt(
        () => client.endFlight(keyOfFlight(name), claim),
        () => {},
      ),
  };
}
