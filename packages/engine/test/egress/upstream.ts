import { once } from "node:events";
import type { Socket } from "node:net";
import { expect } from "vitest";
import { serveTcp } from "./egress-proxy.ts";

export const requestText = (method: string, url: string, fields = ""): string =>
  `${method} ${url} HTTP/1.1\r\nHost: proxy\r\n${fields}\r\n`;
export const get = (url: string, fields = ""): string => requestText("GET", url, fields);

/** A response after which the connection can be reused. */
export const OK_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";

export interface Upstream {
  readonly port: number;
  /** The request heads received by each connection, in order. */
  readonly heads: string[][];
  readonly sockets: Socket[];
}

/** Starts a TCP server that calls `respond` for each chunk of data, as if it were one request. */
export async function serveRequests(
  respond: (socket: Socket, at: { readonly connection: number; readonly request: number }) => void,
): Promise<Upstream> {
  const heads: string[][] = [];
  const sockets: Socket[] = [];
  const port = await serveTcp((socket) => {
    const received: string[] = [];
    const connection = heads.push(received);
    sockets.push(socket);
    socket.on("data", (chunk) => respond(socket, { connection, request: received.push(String(chunk)) }));
    socket.once("end", () => socket.end());
  });
  return { port, heads, sockets };
}

/** Responds with `raw` to the first request, and with `OK_RESPONSE` to all others. */
export function serveFirst(...raw: readonly string[]): Promise<Upstream> {
  return serveRequests((socket, { connection, request }) => {
    for (const part of connection + request === 2 ? raw : [OK_RESPONSE]) socket.write(part, "latin1");
  });
}

/** Returns a connection by its number, from 1. */
export const connectionOf = ({ sockets }: Upstream, number: number): Socket => {
  const socket = sockets[number - 1];
  return socket ?? expect.fail(`connection ${number} does not exist`);
};

export const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket, "close");
};
