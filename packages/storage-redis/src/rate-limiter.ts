import { defineScript, type CommandParser } from "@redis/client";
import type { RateLimiter, ConsumeResult, ConsumeRequest } from "@snap/engine/ports";
import type { RedisConnection } from "./connection/connect.ts";
import { EXPIRY_GRACE_MS, keyOf } from "./keys.ts";

/**
 * One spend, in one step. A window is kept as the text "spent endsAt". `%.0f`, because Lua would write an
 * instant as 1.7e+12.
 */
export const consumeScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local limit, windowMs, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local spent, endsAt = 0, now + windowMs
local kept = redis.call("GET", KEYS[1])
if kept then
  local keptSpent, keptEnd = string.match(kept, "^(%d+) (%d+)$")
  if keptEnd and tonumber(keptEnd) > now then
    spent, endsAt = tonumber(keptSpent), tonumber(keptEnd)
  end
end
if spent >= limit then return {0, 0, endsAt} end
redis.call("SET", KEYS[1], string.format("%.0f %.0f", spent + 1, endsAt),
  "PX", string.format("%.0f", endsAt - now + ${EXPIRY_GRACE_MS}))
return {1, limit - spent - 1, endsAt}`,
  parseCommand(
    parser: CommandParser,
    key: string,
    { limit, windowMs, now }: Pick<ConsumeRequest, "limit" | "windowMs" | "now">,
  ) {
    parser.pushKey(key);
    parser.push(String(limit), String(windowMs), String(now));
  },
  transformReply: ([allowed, remaining, resetsAt]: [number, number, number]): ConsumeResult => ({
    allowed: allowed === 1,
    remaining,
    resetsAt,
  }),
});

/** Request budgets that all processes share; of this process alone while Redis can't be used. */
export function createRateLimiter({ client, attempt }: RedisConnection, keyPrefix: string): RateLimiter {
  const local = createLocalRateLimiter();
  return {
    consume: (request) =>
      attempt(
        () => client.spend(keyOf(keyPrefix, "budget", request.accountId, request.name), request),
        () => local.consume(request),
      ),
  };
}

/** Windows that are kept at most: some 10 MB. */
const MAX_WINDOWS = 50_000;

/** Budgets of this process alone. */
export interface LocalRateLimiter {
  consume(request: ConsumeRequest): ConsumeResult;
}

/**
 * Counts as Redis does, for while there is none. With more windows than are kept the one that was opened
 * first is forgotten: its account gets a new one.
 */
export function createLocalRateLimiter(maxWindows: number = MAX_WINDOWS): LocalRateLimiter {
  const windows = new Map<string, { spent: number; readonly endsAt: number }>();
  const keyOfWindow = ({ accountId, name }: Pick<ConsumeRequest, "accountId" | "name">): string =>
    JSON.stringify([accountId, name]);
  return {
    consume({ accountId, name, limit, windowMs, now }) {
      const key = keyOfWindow({ accountId, name });
      const kept = windows.get(key);
      const isOpen = kept !== undefined && now < kept.endsAt;
      const window = isOpen ? kept : { spent: 0, endsAt: now + windowMs };
      if (window.spent >= limit) return { allowed: false, remaining: 0, resetsAt: window.endsAt };
      window.spent += 1;
      if (!isOpen) {
        // Taken out first, so that it goes to the end of the map's order.
        windows.delete(key);
        windows.set(key, window);
        const [oldest] = windows.keys();
        if (windows.size > maxWindows && oldest !== undefined) windows.delete(oldest);
      }
      return { allowed: true, remaining: limit - window.spent, resetsAt: window.endsAt };
    },
  };
}
