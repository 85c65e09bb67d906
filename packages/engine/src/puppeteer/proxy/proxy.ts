import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { parseTarget, type Target } from "../../targets/target.ts";
import { forward, HEADER_BYTES_MAX } from "./forward.ts";
import { EgressSession, type EgressProxyOptions } from "./egress-session.ts";
import { blockListener } from "./listeners.ts";
import type { HostBlocker, PageEgress } from "./page-egress.ts";

export type { EgressProxyOptions, EgressFailure } from "./egress-session.ts";

/** Far more than Chromium opens to a proxy: at most 32, and as many again for WebSockets. */
const CLIENT_CONNECTIONS_MAX = 512;
/** Longer than a render with the default timeout, so that only Chromium closes idle connections. */
const KEEP_ALIVE_MS = 120_000;

/** The egress of one browser context through a proxy; `close` closes all connections and the listener. */
export interface ProxiedEgress extends PageEgress {
  /** Port of the proxy. */
  readonly port: number;
  readonly proxyServer: string;
  readonly blockHosts: (blocker: HostBlocker) => void;
}

export interface ListenOptions {
  /** Host name or address at which the browser reaches the proxy, which listens only there. */
  readonly host: string;
  /** Returns whether the client is the browser; other connections are closed. */
  readonly accepts: (client: Socket) => boolean;
}

const DEFAULT_LISTEN_OPTIONS: ListenOptions = { host: "127.0.0.1", accepts: () => true };

/**
 * Opens a forward proxy for one browser context, with its own limits and rejections. Use it with `proxyServer` and
 * `proxyBypassList: ["<-loopback>"]`. It closes connections that it rejects, and listens on the loopback interface by
 * default.
 *
 * @example
 * const egress = await openProxiedEgress({ resolver: systemResolver, policy: PUBLIC_TARGETS_ONLY });
 * const browser = await launch();
 * const context = await browser.createBrowserContext({
 *   proxyServer: egress.proxyServer,
 *   proxyBypassList: ["<-loopback>"],
 * });
 */
export async function openProxiedEgress(
  options: EgressProxyOptions,
  listenOptions: ListenOptions = DEFAULT_LISTEN_OPTIONS,
): Promise<ProxiedEgress> {
  const session = new EgressSession(options);
  const server = createListener(session, listenOptions);
  server.listen(0, listenOptions.host);
  await once(server, "listening");
  const { address, port } = server.address() as AddressInfo;
  const { host } = listenOptions;
  const unblock = blockListener({ hostname: address, port });
  let closed: Promise<unknown> | null = null;
  return {
    port,
    proxyServer: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    guard: null,
    blockHosts: (blocks) => session.blockHosts(blocks),
    failure: (url) => session.failure(url),
    failureDetail: (url) => session.failureDetail(url),
    blockedDocument: () => Promise.resolve(null), // no blocked document gets through the proxy
    overflow: session.overflow,
    async close() {
      closed ??= once(server.close(), "close");
      await session.destroySockets();
      await closed;
      unblock();
    },
  };
}

function createListener(session: EgressSession, { accepts }: ListenOptions): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // Host is taken from the target
  });
  server.maxConnections = CLIENT_CONNECTIONS_MAX;
  server.on("connection", (socket) => {
    session.track(socket);
    if (!accepts(socket)) socket.destroy();
  });
  server.on("connect", (request, _socket, head) => {
    tunnel(session, request, head).catch(() => request.socket.destroy());
  });
  server.on("request", (request, response) => {
    try {
      forward(session, request, response);
    } catch {
      request.socket.destroy(); // not a valid HTTP request
    }
  });
  // the default 400 and 417 responses would be rendered as if they came from the target
  server.on("clientError", (_error, socket) => void socket.destroy());
  server.on("checkExpectation", (request) => void request.socket.destroy());
  return server;
}

/** Serves CONNECT (RFC 9110, 9.3.6) for https, ws and wss. */
async function tunnel(session: EgressSession, request: IncomingMessage, head: Buffer): Promise<void> {
  const client = request.socket;
  const target = parseAuthority(request.url ?? "");
  if (target === null) {
    client.destroy();
    return;
  }
  // a client that ends before the response has given up; Node leaves its socket half-open
  const leave = (): void => void client.destroy();
  client.once("end", leave);
  const upstream = await session.dial(target, client);
  client.off("end", leave);
  if (upstream === null) return;
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) client.unshift(head);
  const count = (): void => session.count(upstream, target);
  for (const [source, destination] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    source.pipe(destination); // forwards the end of one direction and leaves the other open
    source.on("data", count);
    source.once("close", (hadError) => {
      if (!hadError) return;
      // a TLS connection, to an upstream proxy, cannot be reset: Node throws
      if (destination instanceof TLSSocket) destination.destroy();
      else destination.resetAndDestroy();
    });
  }
}

/** Parses the authority form: exactly a host and a port (RFC 9112, 3.2.3). */
function parseAuthority(text: string): Target | null {
  return /^[^/?#@]+:\d{1,5}$/.test(text) ? parseTarget(`https://${text}`) : null;
}
