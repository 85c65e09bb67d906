import { DOCUMENT_ORIGIN } from "@snap/protocol";
import { NODATA, NOTFOUND } from "node:dns";
import { isIP } from "node:net";
import { messageOf } from "../errors.ts";
import type { Resolver } from "../ports/resolver.ts";
import { checkAddress, checkHost, parseTarget } from "../targets/target.ts";
import { parseAddress } from "../targets/addresses.ts";
import {
  allowsName,
  closedPorts,
  isAmong,
  isWebPort,
  opensPort,
  type TargetPolicy,
} from "../targets/policy.ts";
import { normalizeHostname } from "../targets/target-list.ts";
import { abortable, withTimeout } from "../timeouts.ts";
import { skipsProxy, type UpstreamProxy } from "./upstream-proxy.ts";

/**
 * `blocked`: not an allowed target. `unresolved`: the name does not exist or has no address. `resolver-failed`: the
 * resolver could not tell, so a retry may succeed.
 */
export type ResolveFailure = "blocked" | "unresolved" | "resolver-failed";

/** Why there is no address to connect to. */
export interface UnusableHost {
  readonly failure: ResolveFailure;
  /** For the log. */
  readonly detail?: string;
}

interface ResolvedHost {
  /** Empty if the upstream proxy resolves the name. */
  readonly addresses: readonly string[];
}

/**
 * Addresses, or why there are none. Those of a lookup are unchecked; those of `resolveHost` are all allowed.
 */
export type LookupOutcome = ResolvedHost | UnusableHost;

/** Runs one page's lookups. */
export interface LookupQueue {
  /** Runs `lookUp` once it may start and returns its outcome, or the outcome of an earlier lookup of the same name. */
  run(
    hostname: string,
    signal: AbortSignal,
    lookUp: (signal: AbortSignal) => Promise<LookupOutcome>,
  ): Promise<LookupOutcome>;
}

export interface ResolveHostRequest {
  /** Host of a parsed URL, or a textual address. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** Blocked as a target, like the policy's `ownPorts`. It resolves names if it is configured to. None by default. */
  readonly upstreamProxy?: UpstreamProxy | null;
  /** Without it, the lookup starts immediately. */
  readonly lookups?: LookupQueue;
  /** Cancels the lookup; the result is `resolver-failed`. */
  readonly signal?: AbortSignal;
  /** Time limit for the lookup; 6,000 by default. */
  readonly dnsTimeoutMs?: number;
}

/** Longer than the system resolver's own limit, 5 s, after which it can still return some of the addresses. */
const DNS_TIMEOUT_MS = 6_000;

/** Length of the longest name that DNS can carry, as text (RFC 1035, 2.3.4). */
const HOSTNAME_CHARACTERS_MAX = 253;

/** Only the renderer serves it, to documents' pages. No resolver or proxy may receive a request for it. */
const DOCUMENT_HOSTNAME = new URL(DOCUMENT_ORIGIN).hostname;

/**
 * Resolves a host and returns its addresses if all of them are allowed. A name with both a public and a private address
 * is treated as an attempt to reach the private one.
 */
export async function resolveHost(request: ResolveHostRequest): Promise<LookupOutcome> {
  const { port, upstreamProxy = null, signal = new AbortController().signal } = request;
  const policy = blockProxy(request.policy, upstreamProxy);
  const hostname = normalizeHostname(request.hostname);
  if (checkHost({ hostname, port, policy }) === "blocked") return { failure: "blocked" };
  if (hostname === DOCUMENT_HOSTNAME)
    return { failure: "unresolved", detail: `${hostname} is not on the network` };
  if (hostname.length > HOSTNAME_CHARACTERS_MAX)
    return { failure: "unresolved", detail: `the name has more than ${HOSTNAME_CHARACTERS_MAX} characters` };
  if (upstreamProxy !== null && isResolvedByProxy(upstreamProxy, { hostname, port }))
    return isWebPort(port) || allowsName({ hostname, port, policy })
      ? { addresses: [] }
      : { failure: "blocked" };
  const found =
    isIP(hostname) === 0 ? await lookUpInTurn({ ...request, hostname, signal }) : { addresses: [hostname] };
  if ("failure" in found) return found;
  const { addresses } = found;
  const isAllowed = (address: string): boolean => checkAddress({ address, hostname, port, policy }) === "ok";
  if (!addresses.every(isAllowed)) return { failure: "blocked" };
  return (await checkOwnPorts({ ...request, policy, hostname, signal }, addresses)) ?? found;
}

/** A page must not use the proxy directly, which would bypass every check. */
function blockProxy(policy: TargetPolicy, proxy: UpstreamProxy | null): TargetPolicy {
  return proxy === null ? policy : { ...policy, ownPorts: [...(policy.ownPorts ?? []), proxy] };
}

function isResolvedByProxy(
  proxy: UpstreamProxy,
  host: { readonly hostname: string; readonly port: number },
): boolean {
  return proxy.resolvesNames && isIP(host.hostname) === 0 && !skipsProxy(proxy, host);
}

/**
 * Returns a failure if one of the addresses belongs to a host that the policy lists by name, such as the service's
 * database, or if that cannot be ruled out. Resolves that name now, because a failover changes its address.
 */
async function checkOwnPorts(
  request: LookupRequest,
  addresses: readonly string[],
): Promise<UnusableHost | null> {
  const { hostname, port, policy } = request;
  const unopened = addresses
    .map(parseAddress)
    .filter((address) => !opensPort({ hostname, address, port, policy }));
  const closed = unopened.length === 0 ? [] : closedPorts(policy, unopened);
  const names = closed.filter((own) => own.port === port && isName(own.hostname));
  if (names.length === 0) return null;
  const outcomes = await Promise.all(names.map((name) => lookUp({ ...request, hostname: name.hostname })));
  const isOwn = outcomes.some((outcome) => {
    if ("failure" in outcome) return outcome.failure !== "resolver-failed";
    const hostPorts = outcome.addresses.map((address) => ({ hostname: address, port }));
    return unopened.some(
      (address) => address !== null && isAmong(hostPorts, { hostname, address, port, policy }),
    );
  });
  return isOwn ? { failure: "blocked" } : (outcomes.find((outcome) => "failure" in outcome) ?? null);
}

function isName(hostname: string): boolean {
  const host = normalizeHostname(hostname);
  return isIP(host) === 0 && host !== "localhost";
}

type LookupRequest = ResolveHostRequest & { readonly signal: AbortSignal };

/** Looks up the name when its turn comes. */
async function lookUpInTurn(request: LookupRequest): Promise<LookupOutcome> {
  const { hostname, lookups, signal } = request;
  if (lookups === undefined) return lookUp(request);
  return lookups
    .run(hostname, signal, (stepSignal) => lookUp({ ...request, signal: stepSignal }))
    .catch(explainFailure);
}

/** Looks up the name within the time limit. */
async function lookUp(request: LookupRequest): Promise<LookupOutcome> {
  const { hostname, resolver, signal, dnsTimeoutMs: durationMs = DNS_TIMEOUT_MS } = request;
  const reason = (): Error => new Error(`${hostname} did not resolve within ${durationMs} ms`);
  try {
    signal.throwIfAborted();
    const addresses = await withTimeout({ signal, durationMs, reason }, async (stepSignal) =>
      abortable(stepSignal, resolver.resolve(hostname, { signal: stepSignal })),
    );
    return addresses.length > 0
      ? { addresses }
      : { failure: "unresolved", detail: `${hostname} has no address` };
  } catch (error) {
    return explainFailure(error);
  }
}

const ABSENT: ReadonlySet<unknown> = new Set([NOTFOUND, NODATA]);

function explainFailure(error: unknown): UnusableHost {
  const isAbsent = error instanceof Error && "code" in error && ABSENT.has(error.code);
  return { failure: isAbsent ? "unresolved" : "resolver-failed", detail: messageOf(error) };
}

/**
 * Checks a target and the addresses that its name resolves to now; returns why it is rejected, or `null`. This is an
 * early rejection, not the security boundary: the name may resolve differently later, so `connect` checks again.
 *
 * @example
 * await resolveTarget({ url: "http://127.0.0.1.nip.io/", policy, resolver }); // { failure: "blocked" }
 */
export async function resolveTarget(request: {
  readonly url: string;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  readonly upstreamProxy?: UpstreamProxy | null;
}): Promise<UnusableHost | null> {
  const target = parseTarget(request.url);
  if (target === null) return { failure: "blocked" };
  const outcome = await resolveHost({ ...request, ...target });
  return "failure" in outcome ? outcome : null;
}
