import { SnapError } from "../errors.ts";
import type { BudgetName, BudgetStore, SpendOutcome, SpendRequest } from "../ports/budgets.ts";

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
export async function spendBudget(store: BudgetStore, asked: BudgetRequest): Promise<SpentBudget> {
  const request = spendRequest(asked);
  return requireAllowed(await store.spend(request), request);
}

/** What is spent of which budget, where it is spent together with something else. */
export function spendRequest(asked: BudgetRequest): SpendRequest {
  return { ...asked, windowMs: WINDOW_MS };
}

/**
 * What a spend of `request` has taken, when it turns out afterwards that the window holds `limit` of them.
 * Whatever was spent of it stays spent: of N at once, as many pass as the window holds.
 */
export function judgedByLimit(spent: SpendOutcome, request: SpendRequest, limit: number): SpendOutcome {
  if (!spent.allowed || limit === request.limit) return spent;
  const count = request.limit - spent.remaining;
  return { ...spent, allowed: count <= limit, remaining: Math.max(0, limit - count) };
}

/** @throws SnapError `rate_limited`, as above. */
export function requireAllowed(
  { allowed, remaining, resetsAt }: SpendOutcome,
  { budget, limit, now }: Pick<SpendRequest, "budget" | "limit" | "now">,
): SpentBudget {
  if (allowed) return { limit, remaining };
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  throw new SnapError(
    "rate_limited",
    `The limit of ${limit} ${REFUSALS[budget]} a minute is reached; repeat the request in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, budget: { limit, remaining: 0 } },
  );
}
