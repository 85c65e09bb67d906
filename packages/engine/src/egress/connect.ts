import type { Socket } from "node:net";
import { normalizeHostname } from "../targets/target-list.ts";
import { connectThroughProxy, type ProxyFailure } from "./connect-through-proxy.ts";
import { openSocket } from "./open-socket.ts";
import { resolveHost, type ResolveHostRequest, type ResolveFailure } from "./resolve.ts";
import { skipsProxy, skipsProxyFor } from "./upstream-proxy.ts";

/**
 * `unreachable`: no address accepts a connection in time, or the upstream proxy cannot reach the target;
 * `proxy-failed`: the upstream proxy is down or rejects this service.
 */
export type ConnectFailure = ResolveFailure | ProxyFailure;

interface ConnectRequest extends ResolveHostRequest {
  /** 10,000 by default. */
  readonly connectTimeoutMs?: number;
  /** Called with the reason for the failure, for the log; not if the target is blocked. */
  readonly onUnreachable?: (detail: string) => void;
}

/**
 * Connects to an allowed host, for pages, webhooks and object stores. Resolves it once, requires every address to be
 * allowed, and tries only those addresses, so DNS rebinding cannot bypass the check. An upstream proxy also receives
 * only checked addresses, unless it resolves names.
 *
 * The socket stays half-open when the peer ends; end it yourself. It handles its own `error` events; listen for
 * `close`. If `signal` aborts, returns a failure and leaves no socket open.
 *
 * @example
 * const outcome = await connect({ hostname: "example.com", port: 443, policy, resolver });
 * if (typeof outcome === "string") console.error(outcome);
 * else await startTls(outcome, "example.com");
 */
export async function connect(request: ConnectRequest): Promise<Socket | ConnectFailure> {
  const outcome = await resolveHost(request);
  if ("failure" in outcome) {
    if (outcome.detail !== undefined) request.onUnreachable?.(outcome.detail);
    return outcome.failure;
  }
  const { addresses } = outcome;
  const { port, upstreamProxy: proxy = null } = request;
  const hostname = normalizeHostname(request.hostname);
  if (proxy === null || skipsProxy(proxy, { hostname, port }) || skipsProxyFor(proxy, { addresses, port }))
    return (await openSocket({ ...request, addresses })) ?? "unreachable";
  return connectThroughProxy({ ...request, hostname, addresses, proxy });
}
