import { defineScript, type CommandParser } from "@redis/client";
import type { LeaseState, RenderLeases, AcquireRequest } from "@snap/engine/ports";
import type { RedisConnection } from "./connection/connect.ts";
import { keyOf } from "./keys.ts";

/*
 * A lease is kept as "held:" and its holder; as "raised:" and its holder once somebody interactive was refused
 * it; as "ended" while it lingers.
 */

export const acquireLeaseScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local kept = redis.call("GET", KEYS[1])
local isRaised = kept == "raised:" .. ARGV[1]
if not kept or kept == "held:" .. ARGV[1] or isRaised then
  redis.call("SET", KEYS[1], kept or "held:" .. ARGV[1], "PX", ARGV[2])
  return isRaised and "raised" or "acquired"
end
if ARGV[3] == "interactive" and string.sub(kept, 1, 5) == "held:" then
  redis.call("SET", KEYS[1], "raised:" .. string.sub(kept, 6), "KEEPTTL")
end
return "held"`,
  parseCommand(
    parser: CommandParser,
    key: string,
    { holder, leaseMs, priority }: Omit<AcquireRequest, "name">,
  ) {
    parser.pushKey(key);
    parser.push(holder, String(Math.ceil(leaseMs)), priority);
  },
  transformReply: (state: string): LeaseState => state as LeaseState,
});

export const releaseLeaseScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local kept = redis.call("GET", KEYS[1])
if kept ~= "held:" .. ARGV[1] and kept ~= "raised:" .. ARGV[1] then return end
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

/** Renders under way. While Redis can't be used every process renders for itself. */
export function createRenderLeases({ client, attempt }: RedisConnection, keyPrefix: string): RenderLeases {
  const keyOfFlight = (name: string): string => keyOf(keyPrefix, "lease", name);
  return {
    acquire: ({ name, ...claim }) =>
      attempt(
        () => client.takeFlight(keyOfFlight(name), claim),
        () => "acquired",
      ),
    release: ({ name, ...claim }) =>
      attempt(
        () => client.endFlight(keyOfFlight(name), claim),
        () => {},
      ),
  };
}
