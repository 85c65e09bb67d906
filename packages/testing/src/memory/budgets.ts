import type { BudgetStore } from "@snap/engine/ports";

/** Request budgets in memory. */
export function createBudgetStore(): BudgetStore {
  const windows = new Map<string, { readonly spent: number; readonly resetsAt: number }>();
  return {
    async spend({ accountId, budget, limit, windowMs, now }) {
      const name = JSON.stringify([accountId, budget]);
      const open = windows.get(name);
      const { spent, resetsAt } =
        open !== undefined && now < open.resetsAt ? open : { spent: 0, resetsAt: now + windowMs };
      if (spent >= limit) return { allowed: false, remaining: 0, resetsAt };
      windows.set(name, { spent: spent + 1, resetsAt });
      return { allowed: true, remaining: limit - spent - 1, resetsAt };
    },
  };
}
