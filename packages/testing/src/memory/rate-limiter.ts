import type { RateLimiter } from "@snap/engine/ports";

/** Rate limits in memory. */
export function createRateLimiter(): RateLimiter {
  const windows = new Map<string, { readonly spent: number; readonly resetsAt: number }>();
  return {
    async consume({ accountId, name, limit, windowMs, now }) {
      const key = JSON.stringify([accountId, name]);
      const open = windows.get(key);
      const { spent, resetsAt } =
        open !== undefined && now < open.resetsAt ? open : { spent: 0, resetsAt: now + windowMs };
      if (spent >= limit) return { allowed: false, remaining: 0, resetsAt };
      windows.set(key, { spent: spent + 1, resetsAt });
      return { allowed: true, remaining: limit - spent - 1, resetsAt };
    },
  };
}
