import { defineScript, type CommandParser } from "@redis/client";
import type { SpendOutcome, SpendRequest } from "@snap/engine/ports";
import { EXPIRY_GRACE_MS } from "../expiry-grace.ts";

/**
 * One spend, in one step. A window is kept as the text "spent endsAt". `%.0f`, because Lua would write an
 * instant as 1.7e+12.
 */
export const spendScript = defineScript({
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
    { limit, windowMs, now }: Pick<SpendRequest, "limit" | "windowMs" | "now">,
  ) {
    parser.pushKey(key);
    parser.push(String(limit), String(windowMs), String(now));
  },
  transformReply: ([allowed, remaining, resetsAt]: [number, number, number]): SpendOutcome => ({
    allowed: allowed === 1,
    remaining,
    resetsAt,
  }),
});
