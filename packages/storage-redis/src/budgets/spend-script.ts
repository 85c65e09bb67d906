import { defineScript, type CommandParser } from "@redis/client";
import type { SpendOutcome, SpendRequest } from "@snap/engine";
import { EXPIRY_GRACE_MS } from "../expiry-grace.ts";

/**
 * One spend, as a function for scripts. A window is kept as the text "spent endsAt". `%.0f`, because Lua would
 * write an instant as 1.7e+12.
 */
export const SPEND_FUNCTION = `
local function spend(key, limit, windowMs, now)
  local spent, endsAt = 0, now + windowMs
  local kept = redis.call("GET", key)
  if kept then
    local keptSpent, keptEnd = string.match(kept, "^(%d+) (%d+)$")
    if keptEnd and tonumber(keptEnd) > now then
      spent, endsAt = tonumber(keptSpent), tonumber(keptEnd)
    end
  end
  if spent >= limit then return {0, 0, endsAt} end
  redis.call("SET", key, string.format("%.0f %.0f", spent + 1, endsAt),
    "PX", string.format("%.0f", endsAt - now + ${EXPIRY_GRACE_MS}))
  return {1, limit - spent - 1, endsAt}
end
`;

/** What `spend` answers. */
export type SpendReply = [allowed: number, remaining: number, resetsAt: number];

export type SpendArguments = Pick<SpendRequest, "limit" | "windowMs" | "now">;

export function pushSpend(parser: CommandParser, { limit, windowMs, now }: SpendArguments): void {
  parser.push(String(limit), String(windowMs), String(now));
}

export function toSpendOutcome([allowed, remaining, resetsAt]: SpendReply): SpendOutcome {
  return { allowed: allowed === 1, remaining, resetsAt };
}

/** One spend, in one step. */
export const spendScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${SPEND_FUNCTION}
return spend(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))`,
  parseCommand(parser: CommandParser, key: string, request: SpendArguments) {
    parser.pushKey(key);
    pushSpend(parser, request);
  },
  transformReply: toSpendOutcome,
});

/** Takes a spend back, if the window is still the one that it was taken from. */
export const giveBackScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local spent, endsAt = string.match(redis.call("GET", KEYS[1]) or "", "^(%d+) (%d+)$")
if endsAt ~= ARGV[1] or tonumber(spent) == 0 then return end
redis.call("SET", KEYS[1], string.format("%.0f %s", tonumber(spent) - 1, endsAt), "KEEPTTL")`,
  parseCommand(parser: CommandParser, key: string, resetsAt: number) {
    parser.pushKey(key);
    parser.push(String(resetsAt));
  },
  transformReply: (): void => {},
});
