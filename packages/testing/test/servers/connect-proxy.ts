import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { openPort } from "./open-port.ts";

/** How the proxy fails a tunnel request: with a status, by closing, or by never responding. */
export type ProxyFault = number | "closes" | "silent";

export interface ConnectProxyOptions {
  /** The loopback port to which every tunnel leads, whatever its target. */
  readonly upstreamPort?: number;
  /** The required credentials, as `user:password`; by default, every client is accepted. */
  readonly credentials?: string;
  /** Returns the fault for the requested host and port; `null` opens the tunnel. */
  readonly faultOf?: (authority: string) => ProxyFault | null;
  /** The certificate of a proxy that uses TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A proxy on the loopback interface that opens tunnels (RFC 9110, 9.3.6). */
export interface ConnectProxy {
  readonly port: number;
  /** The requested hosts and ports, in order. */
  readonly authorities: string[];
  /** The header fields of those requests. */
  readonly headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

export async function openConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { upstreamPort = 0, faultOf = () => null } = options;
  const authorities: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = options.tls === undefined ? createHttpServer() : createHttpsServer(options.tls);
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    const authority = request.url ?? "";
    authorities.push(authority);
    headers.push(request.headers);
    client.on("error", () => {});
    const fault = isAuthorized(request, options) ? faultOf(authority) : 407;
    if (fault === "silent") return;
    if (fault === "closes") return void client.destroy();
    if (fault !== null) return void client.end(`HTTP/1.1 ${fault} Refused\r\nContent-Length: 0\r\n\r\n`);
    const upstream = connect(upstreamPort, "127.0.0.1").on("error", () => {});
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    client.pipe(upstream).pipe(client);
    client.once("close", () => upstream.destroy());
  });
  const { port, close } = await openPort(server);
  return { port, authorities, headers, close };
}

function isAuthorized({ headers }: IncomingMessage, { credentials }: ConnectProxyOptions): boolean {
  if (credentials === undefined) return true;
  return headers["proxy-authorization"] === `Basic ${Buffer.from(credentials).toString("base64")}`;
}
