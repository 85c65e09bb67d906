import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { parseTarget, type Target } from "../../targets/target.ts";
import { forward, HEADER_BYTES_MAX } from "./forward.ts";
import { EgressSession, type EgressProxyOptions } from "./egress-session.ts";
import type { PageEgress } from "./page-egress.ts";

export type { EgressProxyOptions, EgressRefusal } from "./egress-session.ts";

/** Chromium keeps at most 32 connections to a proxy, and some more for WebSockets. */
const CLIENT_CONNECTIONS_MAX = 512;
/** Longer than a render: Chromium decides how long it keeps a connection. */
const KEEP_ALIVE_MS = 120_000;

/** The way out of one browser context, through a proxy; `close` ends every connection and stops listening. */
export interface ProxiedEgress extends PageEgress {
  /** The proxy listens here. */
  readonly port: number;
  readonly proxyServer: string;
}

/** For whom a session is open. */
export interface ListenOptions {
  /** Name or address of ours by which the browser reaches the proxy, which listens there alone. */
  readonly host: string;
  /** Whether the one who connects is the browser; everybody else is dropped. */
  readonly accepts: (client: Socket) => boolean;
}

const LOCAL: ListenOptions = { host: "127.0.0.1", accepts: () => true };

/**
 * Opens a forward proxy (egress.md) with bounds and a memory of its own, to be used by one browser
 * context through `proxyServer` and `proxyBypassList: ["<-loopback>"]`. What it refuses it drops. It
 * listens on the loopback unless told otherwise.
 *
 * @example
 * const session = await openEgressLane({ resolver: systemResolver, policy: PUBLIC_TARGETS_ONLY });
 * const browser = await launch();
 * const context = await browser.createBrowserContext({
 *   proxyServer: session.proxyServer,
 *   proxyBypassList: ["<-loopback>"],
 * });
 */
export async function openProxiedEgress(
  options: EgressProxyOptions,
  listening: ListenOptions = LOCAL,
): Promise<ProxiedEgress> {
  const session = new EgressSession(options);
  const server = createListener(session, listening);
  server.listen(0, listening.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let closed: Promise<unknown> | null = null;
  return {
    port,
    proxyServer: `http://${listening.host.includes(":") ? `[${listening.host}]` : listening.host}:${port}`,
    guard: null,
    refusal: (url) => session.refusal(url),
    refusedDocument: () => Promise.resolve(null), // none gets through
    overflow: session.overflow,
    async close() {
      closed ??= once(server.close(), "close");
      await session.destroySockets();
      await closed;
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
    session.hold(socket);
    if (!accepts(socket)) socket.destroy();
  });
  server.on("connect", (request, _socket, head) => {
    tunnel(session, request, head).catch(() => request.socket.destroy());
  });
  server.on("request", (request, response) => {
    try {
      forward(session, request, response);
    } catch {
      request.socket.destroy(); // a request that can't be written as HTTP
    }
  });
  // the defaults answer 400 and 417, which would be rendered as if they were the target's
  server.on("clientError", (_error, socket) => void socket.destroy());
  server.on("checkExpectation", (request) => void request.socket.destroy());
  return server;
}

/** Serves CONNECT (RFC 9110, 9.3.6), the way of https, ws and wss: bytes pass as they are. */
async function tunnel(session: EgressSession, request: IncomingMessage, head: Buffer): Promise<void> {
  const client = request.socket;
  const target = parseAuthority(request.url ?? "");
  if (target === null) {
    client.destroy();
    return;
  }
  const upstream = await session.dial(target, client);
  if (upstream === null) return;
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) client.unshift(head);
  const count = (): void => session.count(upstream, target);
  for (const [near, far] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    near.pipe(far); // passes an end on as an end: the other way stays open
    near.on("data", count);
    near.once("close", (hadError) => {
      if (hadError) far.resetAndDestroy();
    });
  }
}

/** Authority form: host and port, both required, and nothing else (RFC 9112, 3.2.3). */
function parseAuthority(text: string): Target | null {
  return /^[^/?#@]+:\d{1,5}$/.test(text) ? parseTarget(`https://${text}`) : null;
}
