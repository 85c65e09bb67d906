import { defineScript, type CommandParser } from "@redis/client";
import type { LeaseState, RenderLeases, AcquireRequest } from "@snap/engine/ports";
import type { RedisConnection } from "./connection/connect.ts";
import { keyOf } from "./keys.ts";

/*
 * A lease is stored as "held:<holder>", as "raised:<holder>" after an interactive request was denied it, and as "ended"
 * while it lingers. It is small enough to write even while the memory is full (`allow-oom`).
 */

export const acquireLeaseScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `#!lua flags=allow-oom
local lease = redis.call("GET", KEYS[1])
local isRaised = lease == "raised:" .. ARGV[1]
if not lease or lease == "held:" .. ARGV[1] or isRaised then
  redis.call("SET", KEYS[1], lease or "held:" .. ARGV[1], "PX", ARGV[2])
  return isRaised and "raised" or "acquired"
end
if ARGV[3] == "interactive" and string.sub(lease, 1, 5) == "held:" then
  redis.call("SET", KEYS[1], "raised:" .. string.sub(lease, 6), "KEEPTTL")
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
  SCRIPT: `#!lua flags=allow-oom
local lease = redis.call("GET", KEYS[1])
if lease ~= "held:" .. ARGV[1] and lease ~= "raised:" .. ARGV[1] then return end
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

/** Render leases that all processes share. While Redis is unavailable, every lease is free. */
export function createRenderLeases({ client, attempt }: RedisConnection, keyPrefix: string): RenderLeases {
  const keyOfLease = (name: string): string => keyOf(keyPrefix, "lease", name);
  return {
    acquire: ({ name, ...claim }) =>
      attempt(
        () => client.acquireLease(keyOfLease(name), claim),
        () => "acquired",
      ),
    release: ({ name, ...claim }) =>
      attempt(
        () => client.releaseLease(keyOfLease(name), claim),
        () => {},
      ),
  };
}
