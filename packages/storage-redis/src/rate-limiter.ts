import { defineScript, type CommandParser } from "@redis/client";
import type { RateLimiter, RateLimitName, ConsumeResult, ConsumeRequest } from "@snap/engine/ports";
import type { RedisConnection } from "./connection/connect.ts";
import { EXPIRY_GRACE_MS, keyOf } from "./keys.ts";

/**
 * Consumes one request atomically, even while the memory is full (`allow-oom`). A window is stored as
 * "<requests> <endsAt>". Formats with `%.0f`, because Lua would write an instant as 1.7e+12.
 */
export const consumeScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `#!lua flags=allow-oom
local limit, windowMs, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local count, endsAt, isLate = 0, now + windowMs, false
local stored = redis.call("GET", KEYS[1])
if stored then
  local storedCount, storedEnd = string.match(stored, "^(%d+) (%d+)$")
  if storedEnd and tonumber(storedEnd) > now then
    count = tonumber(storedCount)
    isLate = tonumber(storedEnd) > endsAt
    endsAt = math.min(endsAt, tonumber(storedEnd))
  end
end
local allowed = count < limit
if allowed or isLate then
  redis.call("SET", KEYS[1], string.format("%.0f %.0f", allowed and count + 1 or count, endsAt),
    "PX", string.format("%.0f", endsAt - now + ${EXPIRY_GRACE_MS}))
end
return {allowed and 1 or 0, allowed and limit - count - 1 or 0, endsAt}`,
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

/** Rate limits that all processes share; local to this process while Redis is unavailable. */
export function createRateLimiter({ client, attempt }: RedisConnection, keyPrefix: string): RateLimiter {
  const local = createLocalRateLimiter();
  return {
    consume: (request) =>
      attempt(
        () => client.consume(keyOf(keyPrefix, "budget", request.accountId, request.name), request),
        () => local.consume(request),
      ),
    async deleteAccount({ accountId }) {
      const keys = Object.keys(NAMES).map((name) => keyOf(keyPrefix, "budget", accountId, name));
      local.deleteAccount(accountId);
      // while Redis is unavailable, its windows expire within two minutes
      await attempt(
        () => client.unlink(keys),
        () => 0,
      );
    },
  };
}

/** An object, so the compiler notices a missing name. */
const NAMES: Readonly<Record<RateLimitName, true>> = {
  render: true,
  cached: true,
  usage: true,
  submission: true,
  upload: true,
};

/** Maximum open windows: about 10 MB. */
const MAX_WINDOWS = 50_000;

/** Rate limits of this process only. */
export interface LocalRateLimiter {
  consume(request: ConsumeRequest): ConsumeResult;
  deleteAccount(accountId: string): void;
}

/**
 * Counts like Redis while Redis is unavailable. With more than `maxWindows`, drops the oldest window; its
 * account gets a new one.
 */
export function createLocalRateLimiter(maxWindows: number = MAX_WINDOWS): LocalRateLimiter {
  const windows = new Map<string, { count: number; endsAt: number }>();
  const keyOfWindow = ({ accountId, name }: Pick<ConsumeRequest, "accountId" | "name">): string =>
    JSON.stringify([accountId, name]);
  return {
    consume({ accountId, name, limit, windowMs, now }) {
      const key = keyOfWindow({ accountId, name });
      const existing = windows.get(key);
      const isOpen = existing !== undefined && now < existing.endsAt;
      const window = isOpen ? existing : { count: 0, endsAt: now + windowMs };
      window.endsAt = Math.min(window.endsAt, now + windowMs);
      if (window.count >= limit) return { allowed: false, remaining: 0, resetsAt: window.endsAt };
      window.count += 1;
      if (!isOpen) {
        // deleted first, to move it to the end of the map
        windows.delete(key);
        windows.set(key, window);
        const [oldest] = windows.keys();
        if (windows.size > maxWindows && oldest !== undefined) windows.delete(oldest);
      }
      return { allowed: true, remaining: limit - window.count, resetsAt: window.endsAt };
    },
    deleteAccount(accountId) {
      for (const name of Object.keys(NAMES) as RateLimitName[])
        windows.delete(keyOfWindow({ accountId, name }));
    },
  };
}
