import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { openPort } from "../../../testing/test/servers/open-port.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface SiteOptions {
  readonly host?: string;
  /** Accepts WebSockets; they are rejected by default. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex) => void;
}

/** A web site on the loopback interface. */
export interface Site {
  readonly port: number;
  /** All received requests, as `GET /path`. */
  readonly requests: string[];
  url(path: string, hostname?: string): string;
  close(): Promise<void>;
}

/** Serves `pages` by path: HTML, the name of a file in fixtures/pages, or a handler. */
export async function openSite(
  pages: Readonly<Record<string, string | Handler>>,
  { host = "127.0.0.1", onUpgrade }: SiteOptions = {},
): Promise<Site> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const page = pages[new URL(request.url ?? "/", "http://site").pathname];
    if (typeof page === "function") return page(request, response);
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (page === undefined) return response.writeHead(404).end("<h1>not found</h1>");
    response.end(page.endsWith(".html") ? readPage(page) : page);
  });
  if (onUpgrade) server.on("upgrade", onUpgrade);
  const { port, close } = await openPort(server, host);
  return {
    port,
    requests,
    url: (path, hostname = "127.0.0.1") => `http://${hostname}:${port}${path}`,
    close,
  };
}

function readPage(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/pages/${name}`, import.meta.url));
}

/** Returns a handler that redirects with 302. */
export function redirect(location: string): Handler {
  return (_request, response) => response.writeHead(302, { location }).end();
}
