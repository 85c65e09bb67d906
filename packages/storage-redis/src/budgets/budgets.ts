import type { BudgetStore, SpendRequest } from "@snap/engine";
import type { RedisConnection } from "../connection/connect.ts";
import { keyOf } from "../key-of.ts";
import type { LocalBudgets } from "./local-budgets.ts";

/** Request budgets that all processes share; of this process alone while Redis can't be used. */
export function createBudgetStore(
  { client, attempt }: RedisConnection,
  { keyPrefix, localBudgets }: { readonly keyPrefix: string; readonly localBudgets: LocalBudgets },
): BudgetStore {
  return {
    spend: (request) =>
      attempt(
        () => client.spend(budgetKey(keyPrefix, request), request),
        () => localBudgets.spend(request),
      ),
    giveBack: (request) =>
      attempt(
        () => client.giveBack(budgetKey(keyPrefix, request), request.resetsAt),
        () => localBudgets.giveBack(request),
      ),
  };
}

/** Under what a window is kept. */
export function budgetKey(
  prefix: string,
  { accountId, budget }: Pick<SpendRequest, "accountId" | "budget">,
): string {
  return keyOf(prefix, "budget", accountId, budget);
}
