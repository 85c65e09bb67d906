import { TIMEOUT } from "node:dns";
import { LRUCache } from "lru-cache";
import type { Resolver } from "../../ports/resolver.ts";
import { normalizeHostname } from "../../targets/target-list.ts";
import { withTimeout } from "../../timeouts.ts";
import { parseHostsFile } from "./hosts-file.ts";
import { queryServers, type Answer } from "./query-servers.ts";
import { readWhenChanged } from "./read-when-changed.ts";
import { listLookupNames, parseSearchDomains } from "./search-domains.ts";
import { SharedLookups } from "./shared-lookups.ts";

/** Time limit for a lookup, across all servers and search domains. */
const LOOKUP_TIMEOUT_MS = 5_000;
const CACHE_TTL_MS = 10_000;
/** For names without addresses, and names with an answer for only one address family. */
const SHORT_CACHE_TTL_MS = 2_000;
const CACHED_ADDRESSES_MAX = 10_000;

export interface SystemResolverOptions {
  /** Name servers, such as `192.0.2.53` or `[2001:db8::53]:5353`; by default, those in resolv.conf. */
  readonly servers?: readonly string[];
  /** `/etc/hosts` by default. */
  readonly hostsFile?: string;
  /** File with the search domains; `/etc/resolv.conf` by default. */
  readonly searchFile?: string;
  /** Time limit for a lookup; 5,000 by default. The engine waits for at most 6,000. */
  readonly timeoutMs?: number;
  /** A monotonic clock in milliseconds, for the age of cached answers. */
  readonly now?: () => number;
}

/**
 * Creates a resolver that reads the hosts file and then queries the name servers in resolv.conf; it rereads
 * both files when they change. A lookup takes at most 5 s by default, can be canceled, and delays no other
 * lookup. Answers are cached for 10 s, or for 2 s if they have no addresses or the lookup of one address
 * family failed.
 *
 * @example
 * const resolver = createSystemResolver({ servers: ["192.0.2.53"] });
 * const addresses = await resolver.resolve("example.com", { signal: AbortSignal.timeout(1_000) });
 */
export function createSystemResolver(options: SystemResolverOptions = {}): Resolver {
  const { servers = null, hostsFile = "/etc/hosts", searchFile = "/etc/resolv.conf" } = options;
  const { timeoutMs = LOOKUP_TIMEOUT_MS, now = (): number => performance.now() } = options;
  const hosts = readWhenChanged(hostsFile, parseHostsFile);
  const search = readWhenChanged(searchFile, parseSearchDomains);
  const running = new SharedLookups<Answer>();
  const cache = new LRUCache<string, Answer>({
    maxSize: CACHED_ADDRESSES_MAX,
    sizeCalculation: ({ addresses }) => addresses.length + 1,
    ttl: CACHE_TTL_MS,
    ttlResolution: 0,
    perf: { now },
  });

  const queryInOrder = async (hostname: string, signal: AbortSignal): Promise<Answer> => {
    let failure: Error | null = null;
    for (const name of listLookupNames(hostname, search())) {
      try {
        const answer = await queryServers({ name, servers, signal });
        if (answer.addresses.length > 0) return answer;
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error as Error;
      }
    }
    if (failure !== null) throw failure;
    return { addresses: [], isComplete: true };
  };

  const lookUp = async (hostname: string, abandoned: AbortSignal): Promise<Answer> => {
    const reason = (): Error => timedOut(hostname, timeoutMs);
    const limit = { signal: abandoned, durationMs: timeoutMs, reason };
    const answer = await withTimeout(limit, (signal) => queryInOrder(hostname, signal));
    const isCachedBriefly = !answer.isComplete || answer.addresses.length === 0;
    cache.set(hostname, answer, { ttl: isCachedBriefly ? SHORT_CACHE_TTL_MS : CACHE_TTL_MS });
    return answer;
  };

  return {
    async resolve(name, { signal = new AbortController().signal } = {}) {
      const hostname = normalizeHostname(name);
      const known = hosts().get(hostname) ?? reservedAddresses(hostname) ?? cache.get(hostname)?.addresses;
      if (known !== undefined) return known;
      return (await running.join(hostname, signal, (abandoned) => lookUp(hostname, abandoned))).addresses;
    },
  };
}

/** The default resolver, with this machine's name servers. Shared, so all its users also share the cached answers. */
export const systemResolver: Resolver = createSystemResolver();

/** Names that must not be sent to a name server: RFC 6761, 6.3 and 6.4, and RFC 7686, 2. */
function reservedAddresses(hostname: string): readonly string[] | undefined {
  const domain = hostname.slice(hostname.lastIndexOf(".") + 1);
  if (domain === "localhost") return ["127.0.0.1", "::1"];
  return domain === "invalid" || domain === "onion" ? [] : undefined;
}

function timedOut(hostname: string, timeoutMs: number): Error {
  const message = `the name servers did not resolve ${hostname} within ${timeoutMs} ms`;
  return Object.assign(new Error(message), { code: TIMEOUT });
}
