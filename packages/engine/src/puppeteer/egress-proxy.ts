import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { forward, HEADER_BYTES_MAX } from "./egress-forward.ts";
import { LaneAccount, type EgressProxyOptions, type EgressRefusal } from "./egress-lane.ts";
import { tunnel } from "./egress-tunnel.ts";

export type { EgressProxyOptions, EgressRefusal } from "./egress-lane.ts";

/** Chromium keeps at most 32 connections to a proxy, and some more for WebSockets. */
const CLIENT_CONNECTIONS_MAX = 512;
/** Longer than a render: Chromium decides how long it keeps a connection. */
const KEEP_ALIVE_MS = 120_000;

/** The way out of one browser context. */
export interface EgressLane {
  /** The proxy listens here, on 127.0.0.1. */
  readonly port: number;
  /** The latest refusal for the host and port of this URL, if the lane refused it. */
  refusal(url: string): EgressRefusal | null;
  /** Aborts once the lane's byte cap is exceeded. */
  readonly overflow: AbortSignal;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/**
 * Opens a forward proxy (egress.md) with bounds and a memory of its own, to be used by one browser
 * context through `proxyServer` and `proxyBypassList: ["<-loopback>"]`. What it refuses it drops.
 *
 * @example
 * const lane = await openEgressLane({ resolver: systemResolver, policy: PUBLIC_TARGETS_ONLY });
 * const browser = await launch();
 * const context = await browser.createBrowserContext({
 *   proxyServer: `http://127.0.0.1:${lane.port}`,
 *   proxyBypassList: ["<-loopback>"],
 * });
 */
export async function openEgressLane(options: EgressProxyOptions): Promise<EgressLane> {
  const account = new LaneAccount(options);
  const server = createListener(account);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let closed: Promise<unknown> | null = null;
  return {
    port: (server.address() as AddressInfo).port,
    refusal: (url) => account.refusal(url),
    overflow: account.overflow,
    async close() {
      closed ??= once(server.close(), "close");
      await account.destroySockets();
      await closed;
    },
  };
}

function createListener(account: LaneAccount): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // Host is taken from the target
  });
  server.maxConnections = CLIENT_CONNECTIONS_MAX;
  server.on("connection", (socket) => account.hold(socket));
  server.on("connect", (request, _socket, head) => {
    tunnel(account, request, head).catch(() => request.socket.destroy());
  });
  server.on("request", (request, response) => {
    forward(account, request, response).catch(() => request.socket.destroy());
  });
  // the defaults answer 400 and 417, which would be rendered as if they were the target's
  server.on("clientError", (_error, socket) => void socket.destroy());
  server.on("checkExpectation", (request) => void request.socket.destroy());
  return server;
}
