import { isIP } from "node:net";
import type { Resolver } from "../ports/resolver.ts";
import { checkAddress, checkHost, parseTarget } from "../targets/target.ts";
import { normalizeHostname, type TargetPolicy } from "../targets/policy.ts";
import { abortable, withTimeout } from "../timeouts.ts";

/** Bound of one name resolution (egress.md, the proxy). */
const DNS_TIMEOUT_MS = 5_000;

export interface ResolveHostRequest {
  /** Host of a parsed URL, or a textual address. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** Calls the wait for the resolver off, as unresolved. */
  readonly signal?: AbortSignal;
  /** `DNS_TIMEOUT_MS` unless given. */
  readonly dnsTimeoutMs?: number;
}

/**
 * The addresses of a host, if it may be connected to. One look-up, and one address that isn't allowed
 * refuses them all: a name that answers both a public and a private address is after the private one.
 */
export async function resolveHost(
  request: ResolveHostRequest,
): Promise<readonly string[] | "blocked" | "unresolved"> {
  const { port, policy } = request;
  const hostname = normalizeHostname(request.hostname);
  if (checkHost({ hostname, port, policy }) === "blocked") return "blocked";
  if (isIP(hostname) !== 0) return [hostname];
  const addresses = await lookUp({ ...request, hostname });
  if (addresses.length === 0) return "unresolved";
  const isAllowed = (address: string): boolean => checkAddress({ address, hostname, port, policy }) === "ok";
  return addresses.every(isAllowed) ? addresses : "blocked";
}

/** Empty when the name doesn't resolve in time. */
async function lookUp(request: ResolveHostRequest): Promise<readonly string[]> {
  const { hostname, resolver, signal, dnsTimeoutMs: durationMs = DNS_TIMEOUT_MS } = request;
  if (signal?.aborted === true) return [];
  const reason = (): Error => new Error(`${hostname} did not resolve within ${durationMs} ms`);
  return withTimeout({ signal, durationMs, reason }, async (limited) =>
    abortable(limited, resolver.resolve(hostname)),
  ).catch(() => []);
}

/**
 * Judges a target with what its name resolves to now (docs/decisions/egress.md). An early answer,
 * no boundary: the name may resolve otherwise a moment later, so whoever connects asks again.
 *
 * @example
 * await resolveTarget({ url: "http://127.0.0.1.nip.io/", policy, resolver }); // "blocked"
 */
export async function resolveTarget(request: {
  readonly url: string;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
}): Promise<"ok" | "blocked" | "unresolved"> {
  const { url, policy, resolver } = request;
  const target = parseTarget(url);
  if (target === null) return "blocked";
  const outcome = await resolveHost({ ...target, policy, resolver });
  return typeof outcome === "string" ? outcome : "ok";
}
