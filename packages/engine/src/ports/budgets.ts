/** Which per-minute budget is spent. */
export type BudgetName = "render" | "cached" | "usage" | "submission";

export interface SpendRequest {
  readonly accountId: string;
  readonly budget: BudgetName;
  /** How many a window holds. */
  readonly limit: number;
  /** Length of a window that this spend would open. */
  readonly windowMs: number;
  readonly now: number;
}

export interface SpendOutcome {
  readonly allowed: boolean;
  /** What is left of the window after this spend; 0 when refused. */
  readonly remaining: number;
  /** Instant at which the window ends and the whole budget is there again. */
  readonly resetsAt: number;
}

/**
 * Per-account request budgets. A window opens with its first spend and holds `limit` of them until
 * it ends; a refused spend takes nothing. Atomic: of N spends at once against a limit of L, exactly
 * L are allowed.
 */
export interface BudgetStore {
  spend(request: SpendRequest): Promise<SpendOutcome>;
}
