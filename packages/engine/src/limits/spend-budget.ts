import { SnapError } from "../errors.ts";
import type { BudgetName, BudgetStore, SpendRequest } from "../ports/budgets.ts";

const WINDOW_MS = 60_000;

const REFUSALS: Readonly<Record<BudgetName, string>> = {
  render: "renders",
  cached: "cached answers",
  usage: "usage reports",
  submission: "batches",
};

/** One of which account's budget. */
export type BudgetRequest = Omit<SpendRequest, "windowMs">;

/** The budget that an answer was counted against, after it. */
export interface SpentBudget {
  readonly limit: number;
  readonly remaining: number;
}

/**
 * Spends one of an account's per-minute budget.
 *
 * @throws SnapError `rate_limited` with the refusing limit and the seconds until it is there again.
 */
export async function spendBudget(store: BudgetStore, request: BudgetRequest): Promise<SpentBudget> {
  const { budget, limit, now } = request;
  const { allowed, remaining, resetsAt } = await store.spend({ ...request, windowMs: WINDOW_MS });
  if (allowed) return { limit, remaining };
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  throw new SnapError(
    "rate_limited",
    `The limit of ${limit} ${REFUSALS[budget]} a minute is reached; repeat the request in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, budget: { limit, remaining: 0 } },
  );
}
