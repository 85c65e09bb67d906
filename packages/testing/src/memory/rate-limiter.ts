import type { RateLimiter } from "@snap/engine/ports";

/** Rate limits in memory. */
export function createRateLimiter(): RateLimiter {
  const windows = new Map<string, { readonly count: number; readonly resetsAt: number }>();
  return {
    async consume({ accountId, name, limit, windowMs, now }) {
      const key = JSON.stringify([accountId, name]);
      const open = windows.get(key);
      const isOpen = open !== undefined && now < open.resetsAt;
      const count = isOpen ? open.count : 0;
      const resetsAt = isOpen ? Math.min(open.resetsAt, now + windowMs) : now + windowMs;
      const allowed = count < limit;
      if (allowed || isOpen) windows.set(key, { count: allowed ? count + 1 : count, resetsAt });
      return { allowed, remaining: allowed ? limit - count - 1 : 0, resetsAt };
    },
    async deleteAccount({ accountId }) {
      for (const key of windows.keys())
        if ((JSON.parse(key) as readonly string[])[0] === accountId) windows.delete(key);
    },
  };
}
