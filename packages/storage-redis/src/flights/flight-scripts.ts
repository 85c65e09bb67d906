import { defineScript, type CommandParser } from "@redis/client";

/** A flight is kept as "held:" and its holder, or as "ended" while it lingers. */
export const takeFlightScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local held = "held:" .. ARGV[1]
local kept = redis.call("GET", KEYS[1])
if kept and kept ~= held then return 0 end
redis.call("SET", KEYS[1], held, "PX", ARGV[2])
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
  redis.call("DEL", KEYS[1])
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
