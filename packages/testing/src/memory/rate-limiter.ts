import type { RateLimiter } from "@snap/engine/ports";

/** Rate limits in memory. */
export function createRateLimiter(): RateLimiter {
  const windows = new Map<string, { readonly count: number; readonly resetsAt: number }>();
  return {
    async consume({ accountId, name, limit, windowMs, now }) {
      const key = JSON.stringify([accountId, name]);
      const open = windows.get(key);
      const { count, resetsAt } =
        open !== undefined && now < open.resetsAt ? open : { count: 0, resetsAt: now + windowMs };
      if (count >= limit) return { allowed: false, remaining: 0, resetsAt };
      windows.set(key, { count: count + 1, resetsAt });
      return { allowed: true, remaining: limit - count - 1, resetsAt };
    },
  };
}
