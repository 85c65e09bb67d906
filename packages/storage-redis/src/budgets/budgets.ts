import type { BudgetStore } from "@snap/engine/ports";
import type { RedisConnection } from "../connection/connect.ts";
import { keyOf } from "../key-of.ts";
import { createLocalBudgets } from "./local-budgets.ts";

/** Request budgets that all processes share; of this process alone while Redis can't be used. */
export function createBudgetStore({ client, attempt }: RedisConnection, keyPrefix: string): BudgetStore {
  const local = createLocalBudgets();
  return {
    spend: (request) =>
      attempt(
        () => client.spend(keyOf(keyPrefix, "budget", request.accountId, request.budget), request),
        () => local.spend(request),
      ),
  };
}
