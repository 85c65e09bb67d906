import type { SpendOutcome, SpendRequest } from "@snap/engine/ports";

/** Windows that are kept at most: some 10 MB. */
const MAX_WINDOWS = 50_000;

/** Budgets of this process alone. */
export interface LocalBudgets {
  spend(request: SpendRequest): SpendOutcome;
}

/**
 * Counts as Redis does, for while there is none. With more windows than are kept the one that was opened
 * first is forgotten: its account gets a new one.
 */
export function createLocalBudgets(maxWindows: number = MAX_WINDOWS): LocalBudgets {
  const windows = new Map<string, { spent: number; readonly endsAt: number }>();
  const nameOf = ({ accountId, budget }: Pick<SpendRequest, "accountId" | "budget">): string =>
    JSON.stringify([accountId, budget]);
  return {
    spend({ accountId, budget, limit, windowMs, now }) {
      const name = nameOf({ accountId, budget });
      const kept = windows.get(name);
      const isOpen = kept !== undefined && now < kept.endsAt;
      const window = isOpen ? kept : { spent: 0, endsAt: now + windowMs };
      if (window.spent >= limit) return { allowed: false, remaining: 0, resetsAt: window.endsAt };
      window.spent += 1;
      if (!isOpen) {
        // Taken out first, so that it goes to the end of the map's order.
        windows.delete(name);
        windows.set(name, window);
        const [oldest] = windows.keys();
        if (windows.size > maxWindows && oldest !== undefined) windows.delete(oldest);
      }
      return { allowed: true, remaining: limit - window.spent, resetsAt: window.endsAt };
    },
  };
}
