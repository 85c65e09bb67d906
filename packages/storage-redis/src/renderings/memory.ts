import type { CacheWarning } from "@snap/engine/ports";
import type { ScriptedClient } from "../connection/client.ts";

/** Renderings take more memory than counts against the quota, and rate limits and leases also need some. */
const MAXMEMORY_FRACTION = 0.8;
/** Applies to the machine's memory if Redis has no limit. */
const SYSTEM_FRACTION = 0.5;

/** Redis's memory. */
export interface Memory {
  /** The default quota of renderings. */
  readonly quota: number;
  /** Free memory below `maxmemory`; `null` if it is not set. */
  readonly freeBytes: number | null;
  readonly warnings: readonly CacheWarning[];
}

export async function readMemory(client: Pick<ScriptedClient, "info">): Promise<Memory> {
  const report = await client.info("memory");
  const read = (name: string): string => new RegExp(`^${name}:(\\S+)`, "m").exec(report)?.[1] ?? "";
  const [maxBytes, usedBytes] = [Number(read("maxmemory")), Number(read("used_memory"))];
  const systemBytes = Number(read("total_system_memory"));
  return {
    quota: Math.floor(maxBytes > 0 ? maxBytes * MAXMEMORY_FRACTION : systemBytes * SYSTEM_FRACTION),
    freeBytes: maxBytes > 0 ? Math.max(0, maxBytes - usedBytes) : null,
    warnings: [...warnOfMissingLimit(maxBytes), ...warnOfPolicy(read("maxmemory_policy"))],
  };
}

function warnOfMissingLimit(maxBytes: number): CacheWarning[] {
  if (maxBytes > 0) return [];
  return [
    {
      code: "redis_maxmemory",
      message: "Redis has no memory limit",
      advice:
        "set maxmemory, for example `redis-cli config set maxmemory 1gb`, and maxmemory-policy noeviction; put both into redis.conf",
    },
  ];
}

function warnOfPolicy(policy: string): CacheWarning[] {
  const harm = harmOf(policy);
  if (harm === null) return [];
  return [
    {
      code: "redis_policy",
      message: `with maxmemory-policy ${policy}, Redis evicts ${harm}`,
      advice: "run `redis-cli config set maxmemory-policy noeviction`, and put it into redis.conf",
    },
  ];
}

function harmOf(policy: string): string | null {
  if (policy.startsWith("allkeys-")) return "renderings of any account, and the index that counts them";
  return ["volatile-ttl", "volatile-random"].includes(policy) ? "rate limits and render leases" : null;
}
