import { request as sendRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import { messageOf } from "../errors.ts";
import type { Resolver } from "../ports/resolver.ts";
import { abortable, withTimeout } from "../timeouts.ts";
import { CONNECT_TIMEOUT_MS, openSocket, startTls } from "./open-socket.ts";
import type { UpstreamProxy } from "./upstream-proxy.ts";

/** Maximum number of a target's addresses to try through the proxy. */
const ADDRESSES_MAX = 3;
const HEADER_BYTES_MAX = 16_384;

/** `unreachable`: the proxy did not connect to the target; `proxy-failed`: it is down or rejects this service. */
export type ProxyFailure = "unreachable" | "proxy-failed";

export interface ProxiedConnectRequest {
  readonly proxy: UpstreamProxy;
  readonly hostname: string;
  readonly port: number;
  /** Checked addresses of the host; none if the proxy resolves its name. */
  readonly addresses: readonly string[];
  /** Resolves the proxy's name. */
  readonly resolver: Resolver;
  readonly signal?: AbortSignal | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Called with the reason for a failure, for the log; not if `signal` aborts. */
  readonly onUnreachable?: ((detail: string) => void) | undefined;
}

interface Attempt extends ProxiedConnectRequest {
  readonly signal: AbortSignal;
}

/** Connects to a target through a proxy's tunnel (RFC 9110, 9.3.6). */
export async function connectThroughProxy(request: ProxiedConnectRequest): Promise<Socket | ProxyFailure> {
  const { signal: abandoned, connectTimeoutMs: durationMs = CONNECT_TIMEOUT_MS } = request;
  const reason = (): Error => new Error(`no tunnel within ${durationMs} ms`);
  const outcome = await withTimeout({ signal: abandoned, durationMs, reason }, (signal) =>
    openFirstTunnel({ ...request, signal }),
  );
  if (!("kind" in outcome)) return outcome;
  if (abandoned?.aborted !== true)
    request.onUnreachable?.(`the upstream proxy ${request.proxy.origin} ${outcome.detail}`);
  return outcome.kind;
}

/** Requests a tunnel to one address after another, or to the name. */
async function openFirstTunnel(attempt: Attempt): Promise<Socket | TunnelFailure> {
  const { hostname, port, addresses, signal } = attempt;
  const [host = hostname, ...others] = ipv4First(addresses);
  const outcome = await openTunnel(attempt, `${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  const isFinal =
    others.length === 0 || signal.aborted || !("kind" in outcome) || outcome.kind === "proxy-failed";
  return isFinal ? outcome : openFirstTunnel({ ...attempt, addresses: others });
}

/** Proxies without IPv6 are common. */
function ipv4First(addresses: readonly string[]): readonly string[] {
  return addresses.toSorted((left, right) => isIP(left) - isIP(right)).slice(0, ADDRESSES_MAX);
}

interface TunnelFailure {
  readonly kind: ProxyFailure;
  /** What the proxy did; follows the proxy's name in a message. */
  readonly detail: string;
}

async function openTunnel(attempt: Attempt, authority: string): Promise<Socket | TunnelFailure> {
  const opened = await openConnection(attempt);
  if ("kind" in opened) return opened;
  try {
    const outcome = await abortable(attempt.signal, sendConnect(opened, attempt.proxy, authority));
    if (outcome === null) return failed("did not send an HTTP response");
    if (outcome >= 200 && outcome <= 299) return opened;
    opened.destroy();
    return explainStatus(outcome);
  } catch {
    opened.destroy();
    // the proxy may be waiting for a target that does not respond
    return { kind: "unreachable", detail: "did not respond to CONNECT in time" };
  }
}

async function openConnection(attempt: Attempt): Promise<Socket | TunnelFailure> {
  const { proxy, signal, resolver } = attempt;
  const { hostname, port } = proxy;
  let detail = "did not accept a connection in time";
  const onUnreachable = (reason: string): void => {
    detail = `is not accepting connections: ${reason}`;
  };
  try {
    const addresses =
      isIP(hostname) === 0 ? await abortable(signal, resolver.resolve(hostname, { signal })) : [hostname];
    if (addresses.length === 0) return failed("has no address");
    const socket = await openSocket({ hostname, port, addresses, signal, onUnreachable });
    if (socket === null) return failed(detail);
    if (!proxy.isSecure) return socket;
    const abandon = (): void => void socket.destroy();
    signal.addEventListener("abort", abandon);
    const secured = await startTls(socket, hostname);
    signal.removeEventListener("abort", abandon);
    return secured ?? failed("did not complete the TLS handshake, or has an invalid certificate");
  } catch (error) {
    return failed(`cannot be resolved: ${messageOf(error)}`);
  }
}

function failed(detail: string): TunnelFailure {
  return { kind: "proxy-failed", detail };
}

/** Resolves to the response's status; `null` if the proxy closes the connection or sends something else. */
function sendConnect(socket: Socket, proxy: UpstreamProxy, authority: string): Promise<number | null> {
  return new Promise((resolve) => {
    const outgoing = sendRequest({
      createConnection: () => socket,
      method: "CONNECT",
      path: authority,
      headers: { Host: authority, ...proxy.credentials() },
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    outgoing.once("connect", ({ statusCode = 0 }, _socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(statusCode);
    });
    outgoing.on("error", () => resolve(null));
    outgoing.once("close", () => resolve(null));
    outgoing.end();
  });
}

const AUTHENTICATION_REQUIRED = 407;
const TOO_MANY_REQUESTS = 429;

function explainStatus(status: number): TunnelFailure {
  if (status === AUTHENTICATION_REQUIRED)
    return failed("rejected this service's user name and password, or requires them (407)");
  if (status === TOO_MANY_REQUESTS) return failed("limited this service's connections (429)");
  return { kind: "unreachable", detail: `refused to connect to the host (${status})` };
}
