import { defineScript, type CommandParser } from "@redis/client";
import type { Eviction } from "@snap/engine/ports";
import { EXPIRY_GRACE_MS } from "../keys.ts";

/*
 * The index of the renderings, next to their values. `cache:entries` maps a rendering's name to its size and
 * account; `cache:total` and `cache:accounts` are the sums; `cache:ages:<account>` and `cache:expiries` sort the names
 * by the instants at which they were stored and expire. The scripts run even while the memory is full (`allow-oom`),
 * because eviction also writes to the index.
 */
const INDEX = `#!lua flags=allow-oom
local prefix = KEYS[1]
local entries, total = prefix .. "cache:entries", prefix .. "cache:total"
local accounts, expiries = prefix .. "cache:accounts", prefix .. "cache:expiries"
local function agesOf(account) return prefix .. "cache:ages:" .. account end
local function valueOf(name) return prefix .. "rendering:" .. name end
local function deletionOf(digest) return prefix .. "deleted:" .. digest end

local function subtract(account, bytes)
  redis.call("INCRBY", total, "-" .. bytes)
  if tonumber(redis.call("ZINCRBY", accounts, "-" .. bytes, account)) <= 0 then
    redis.call("ZREM", accounts, account)
  end
end

local function forget(name)
  redis.call("UNLINK", valueOf(name))
  redis.call("ZREM", expiries, name)
  local entry = redis.call("HGET", entries, name)
  if not entry then return 0 end
  local bytes, account = string.match(entry, "^(%d+) (.*)$")
  redis.call("HDEL", entries, name)
  redis.call("ZREM", agesOf(account), name)
  subtract(account, bytes)
  return tonumber(bytes)
end

-- Evicts from the account with the most bytes; the pending rendering counts toward its account.
local function evict(maxBytes, limit, pendingAccount, pendingBytes)
  if pendingBytes > 0 then redis.call("ZINCRBY", accounts, pendingBytes, pendingAccount) end
  local renderings, bytes = {}, {}
  local isStuck = false
  for _ = 1, limit do
    if tonumber(redis.call("GET", total) or 0) <= maxBytes then break end
    local account, most = unpack(redis.call("ZRANGE", accounts, 0, 0, "REV", "WITHSCORES"))
    local name = account and redis.call("ZRANGE", agesOf(account), 0, 0)[1]
    if name then
      local freed = forget(name)
      -- Redis has evicted a part of the index
      if freed == 0 then redis.call("ZREM", agesOf(account), name) end
      renderings[account] = (renderings[account] or 0) + 1
      bytes[account] = (bytes[account] or 0) + freed
    elseif account and account ~= pendingAccount then
      subtract(account, string.format("%.0f", most))
    else
      isStuck = true
      break
    end
  end
  if pendingBytes > 0 and tonumber(redis.call("ZINCRBY", accounts, -pendingBytes, pendingAccount)) <= 0 then
    redis.call("ZREM", accounts, pendingAccount)
  end
  local isDone = isStuck or tonumber(redis.call("GET", total) or 0) <= maxBytes
  local result = {isDone and 1 or 0}
  for account, count in pairs(renderings) do
    table.insert(result, account)
    table.insert(result, count)
    table.insert(result, bytes[account])
  end
  return result
end
`;

/** Evictions per call, which blocks Redis for about a millisecond. */
const EVICTIONS_PER_CALL = 50;

/** The evictions of one call. */
export interface EvictOutcome {
  /** Whether nothing more can be evicted, or needs to be. */
  readonly isDone: boolean;
  readonly evictions: readonly Omit<Eviction, "reason">[];
}

function toEvictOutcome([isDone, ...values]: readonly [number, ...unknown[]]): EvictOutcome {
  const evictions = Array.from({ length: values.length / 3 }, (_, index) => {
    const [accountId, renderings, bytes] = values.slice(index * 3);
    return { accountId: String(accountId), renderings: Number(renderings), bytes: Number(bytes) };
  });
  return { isDone: isDone === 1, evictions };
}

export interface StoreRequest {
  /** Key of the value, which is already in Redis. */
  readonly stagedKey: string;
  readonly name: string;
  readonly accountId: string;
  /** Digest of the account's id; nothing is stored while its deletion is marked. */
  readonly digest: string;
  /** Its size, as counted against the quota. */
  readonly bytes: number;
  readonly storedAt: number;
  readonly expiresAt: number;
  /** Maximum size of all renderings together. */
  readonly maxBytes: number;
}

/**
 * Moves a staged value to its key and counts it, then evicts a limited number of renderings if the quota is exceeded.
 * Returns `null` if the value is missing. Drops the value if the account is being deleted.
 */
export const storeRenderingScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${INDEX}
local stagedKey, name, account, digest, bytes, storedAt, expiresAt, ttlMs, maxBytes = unpack(ARGV)
if redis.call("GET", deletionOf(digest)) then
  redis.call("UNLINK", stagedKey)
  return {1}
end
forget(name)
if redis.call("PEXPIRE", stagedKey, ttlMs) == 0 then return false end
redis.call("RENAME", stagedKey, valueOf(name))
redis.call("HSET", entries, name, bytes .. " " .. account)
redis.call("ZADD", agesOf(account), storedAt, name)
redis.call("ZADD", expiries, expiresAt, name)
redis.call("INCRBY", total, bytes)
redis.call("ZINCRBY", accounts, bytes, account)
return evict(tonumber(maxBytes), ${EVICTIONS_PER_CALL}, "", 0)`,
  parseCommand(parser: CommandParser, prefix: string, request: StoreRequest) {
    const { stagedKey, name, accountId, digest, bytes, storedAt, expiresAt, maxBytes } = request;
    const ttlMs = Math.max(0, Math.ceil(expiresAt - storedAt)) + EXPIRY_GRACE_MS;
    parser.pushKey(prefix);
    parser.push(stagedKey, name, accountId, digest);
    parser.push(...[bytes, storedAt, expiresAt, ttlMs, maxBytes].map(String));
  },
  transformReply: (reply: [number, ...unknown[]] | null): EvictOutcome | null =>
    reply === null ? null : toEvictOutcome(reply),
});

export interface EvictRequest {
  /** Maximum size of all renderings together. */
  readonly maxBytes: number;
  /** Space to free for a rendering of this account, even if the quota is not exceeded. */
  readonly needed?: { readonly accountId: string; readonly bytes: number } | undefined;
  readonly limit?: number;
}

/** Evicts renderings, up to `limit`, to stay within the quota or to make space for another one. */
export const evictRenderingsScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${INDEX}
local maxBytes, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local account, bytes = ARGV[3], tonumber(ARGV[4])
if bytes > 0 then maxBytes = math.min(maxBytes, tonumber(redis.call("GET", total) or 0) - bytes) end
return evict(maxBytes, limit, account, bytes)`,
  parseCommand(
    parser: CommandParser,
    prefix: string,
    { maxBytes, needed, limit = EVICTIONS_PER_CALL }: EvictRequest,
  ) {
    parser.pushKey(prefix);
    parser.push(String(maxBytes), String(Math.min(limit, EVICTIONS_PER_CALL)));
    parser.push(needed?.accountId ?? "", String(needed?.bytes ?? 0));
  },
  transformReply: (reply: [number, ...unknown[]]): EvictOutcome => toEvictOutcome(reply),
});

/** Deletes renderings by name. */
export const deleteRenderingsScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${INDEX}
for _, name in ipairs(ARGV) do forget(name) end`,
  parseCommand(parser: CommandParser, prefix: string, names: readonly string[]) {
    parser.pushKey(prefix);
    parser.push(...names);
  },
  transformReply: (): void => {},
});

/** Deletes renderings that have expired; returns their number. */
export const pruneRenderingsScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${INDEX}
local names = redis.call("ZRANGE", expiries, "-inf", ARGV[1], "BYSCORE", "LIMIT", 0, ARGV[2])
for _, name in ipairs(names) do forget(name) end
return #names`,
  parseCommand(
    parser: CommandParser,
    prefix: string,
    { now, limit }: { readonly now: number; readonly limit: number },
  ) {
    parser.pushKey(prefix);
    parser.push(String(now), String(limit));
  },
  transformReply: (count: number): number => count,
});

/** How long an account's deletion is remembered: longer than a render that started before it can take. */
export const DELETION_MARK_TTL_MS = 3_600_000;
/** Deletions per call, which blocks Redis for a few milliseconds. */
export const DELETIONS_PER_CALL = 200;

/** Deletes renderings of an account, or of all accounts, up to `DELETIONS_PER_CALL`; returns their number. */
export const purgeRenderingsScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${INDEX}
local digest, account = ARGV[1], ARGV[2]
if digest ~= "" then redis.call("SET", deletionOf(digest), "", "PX", ${DELETION_MARK_TTL_MS}) end
local index = account and agesOf(account) or expiries
local names = redis.call("ZRANGE", index, 0, ${DELETIONS_PER_CALL - 1})
for _, name in ipairs(names) do
  forget(name)
  -- Redis may have evicted a part of the index.
  redis.call("ZREM", index, name)
end
return #names`,
  parseCommand(
    parser: CommandParser,
    prefix: string,
    /** With a digest, marks the account as being deleted. */
    { accountId, digest }: { readonly accountId: string | null; readonly digest: string | null },
  ) {
    parser.pushKey(prefix);
    parser.push(digest ?? "");
    // an empty string is an account id, too
    if (accountId !== null) parser.push(accountId);
  },
  transformReply: (count: number): number => count,
});
