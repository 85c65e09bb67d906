import { isIP } from "node:net";
import type { Resolver } from "../ports/resolver.ts";
import { checkAddress, checkHost, parseTarget } from "../targets/target.ts";
import { parseAddress, type Address } from "../targets/addresses.ts";
import { isAmong, opensPort, type TargetPolicy } from "../targets/policy.ts";
import { normalizeHostname } from "../targets/target-list.ts";
import { abortable, withTimeout } from "../timeouts.ts";
import { LOOK_UP_TIMEOUT_MS } from "./names/system-resolver.ts";

export interface ResolveHostRequest {
  /** Host of a parsed URL, or a textual address. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** Cancels the look-up; the result is `unresolved`. */
  readonly signal?: AbortSignal;
  /** 5,000 by default. */
  readonly dnsTimeoutMs?: number;
}

/**
 * Resolves a host once and returns its addresses if all of them are allowed. A name with both a public and a private
 * address is an attempt to reach the private one.
 */
export async function resolveHost(
  request: ResolveHostRequest,
): Promise<readonly string[] | "blocked" | "unresolved"> {
  const { port, policy } = request;
  const hostname = normalizeHostname(request.hostname);
  if (checkHost({ hostname, port, policy }) === "blocked") return "blocked";
  const addresses = isIP(hostname) === 0 ? await lookUp({ ...request, hostname }) : [hostname];
  if (addresses.length === 0) return "unresolved";
  const isAllowed = (address: string): boolean => checkAddress({ address, hostname, port, policy }) === "ok";
  if (!addresses.every(isAllowed)) return "blocked";
  return (await reachesOwnSocket({ ...request, hostname }, addresses)) ? "blocked" : addresses;
}

/**
 * Returns whether one of the addresses belongs to a socket that the policy lists by name, such as that of the service's
 * database. Resolves that name now, because a failover changes its address; if it does not resolve, returns `true`.
 */
async function reachesOwnSocket(request: ResolveHostRequest, addresses: readonly string[]): Promise<boolean> {
  const { hostname, port, policy } = request;
  const names = (policy.ownSockets ?? []).filter((socket) => socket.port === port && isName(socket.hostname));
  if (names.length === 0) return false;
  const unopened = addresses
    .map(parseAddress)
    .filter((address) => !opensPort({ hostname, address, port, policy }));
  if (unopened.length === 0) return false;
  const own = await Promise.all(names.map((socket) => lookUp({ ...request, hostname: socket.hostname })));
  return own.some((found) => {
    const sockets = found.map((address) => ({ hostname: address, port }));
    const isFound = (address: Address | null): boolean =>
      address !== null && isAmong(sockets, { hostname, address, port, policy });
    return found.length === 0 || unopened.some(isFound);
  });
}

function isName(hostname: string): boolean {
  const host = normalizeHostname(hostname);
  return isIP(host) === 0 && host !== "localhost";
}

/** Returns an empty list if the name does not resolve in time. */
async function lookUp(request: ResolveHostRequest): Promise<readonly string[]> {
  const { hostname, resolver, signal, dnsTimeoutMs: durationMs = LOOK_UP_TIMEOUT_MS } = request;
  if (signal?.aborted === true) return [];
  const reason = (): Error => new Error(`${hostname} did not resolve within ${durationMs} ms`);
  return withTimeout({ signal, durationMs, reason }, async (limited) =>
    abortable(limited, resolver.resolve(hostname, { signal: limited })),
  ).catch(() => []);
}

/**
 * Checks a target and what its name resolves to now. This is an early rejection, not the security boundary: the name
 * may resolve differently later, so `connect` checks again.
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
