import { defineScript, type CommandParser } from "@redis/client";
import type { Boarding } from "@snap/engine";
import {
  pushSpend,
  SPEND_FUNCTION,
  toSpendOutcome,
  type SpendArguments,
  type SpendReply,
} from "../budgets/spend-script.ts";
import { IS_ALIVE_FUNCTION } from "../renderings/packed.ts";

/** A flight is kept as "held:" and its holder, or as "ended" while it lingers. */
const IS_FREE_FUNCTION = `
local function isFree(key, holder)
  local kept = redis.call("GET", key)
  return not kept or kept == "held:" .. holder
end
`;

export const takeFlightScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${IS_FREE_FUNCTION}
if not isFree(KEYS[1], ARGV[1]) then return 0 end
redis.call("SET", KEYS[1], "held:" .. ARGV[1], "PX", ARGV[2])
return 1`,
  parseCommand(
    parser: CommandParser,
    key: string,
    { holder, leaseMs }: { readonly holder: string; readonly leaseMs: number },
  ) {
    parser.pushKey(key);
    parser.push(holder, String(Math.ceil(leaseMs)));
  },
  transformReply: (taken: number): boolean => taken === 1,
});

export const endFlightScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
if redis.call("GET", KEYS[1]) ~= "held:" .. ARGV[1] then return end
if tonumber(ARGV[2]) > 0 then
  redis.call("SET", KEYS[1], "ended", "PX", ARGV[2])
else
  redis.call("UNLINK", KEYS[1])
end`,
  parseCommand(
    parser: CommandParser,
    key: string,
    { holder, lingerMs }: { readonly holder: string; readonly lingerMs: number },
  ) {
    parser.pushKey(key);
    parser.push(holder, String(Math.ceil(lingerMs)));
  },
  transformReply: (): void => {},
});

/** The keys that `board` looks at; `rendering` is `null` when it is all the same whether that is there. */
export interface BoardingKeys {
  readonly flight: string;
  readonly budget: string;
  readonly rendering: string | null;
}

/** A third key is there for a rendering that is looked for. */
export const boardFlightScript = defineScript({
  SCRIPT: `${SPEND_FUNCTION}${IS_FREE_FUNCTION}${IS_ALIVE_FUNCTION}
if KEYS[3] and isAlive(KEYS[3], tonumber(ARGV[5])) then return {"kept"} end
if not isFree(KEYS[1], ARGV[1]) then return {"held"} end
local outcome = spend(KEYS[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]))
if outcome[1] == 0 then return {"refused", outcome} end
redis.call("SET", KEYS[1], "held:" .. ARGV[1], "PX", ARGV[2])
return {"boarded", outcome}`,
  parseCommand(
    parser: CommandParser,
    { flight, budget, rendering }: BoardingKeys,
    {
      holder,
      leaseMs,
      spend,
    }: { readonly holder: string; readonly leaseMs: number; readonly spend: SpendArguments },
  ) {
    parser.pushKeysLength(rendering === null ? [flight, budget] : [flight, budget, rendering]);
    parser.push(holder, String(Math.ceil(leaseMs)));
    pushSpend(parser, spend);
  },
  transformReply: (reply: BoardingReply): Boarding =>
    reply.length === 1 ? { state: reply[0] } : { state: reply[0], spent: toSpendOutcome(reply[1]) },
});

type BoardingReply = ["kept" | "held"] | ["boarded" | "refused", SpendReply];
