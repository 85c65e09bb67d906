import { createServer, type ServerResponse } from "node:http";
import { openPort } from "../../../testing/test/servers/open-port.ts";

/** A page server on the loopback address. */
export interface Pages {
  readonly url: string;
  /** `host:port`, for an allowlist. */
  readonly target: string;
  /** Number of requests so far. */
  readonly hits: () => number;
  /** Resolves with the response to the first request for `/held`; the test ends it. */
  held(): Promise<ServerResponse>;
  close(): Promise<void>;
}

const PAGE = "<!doctype html><title>page</title><body style='background:#0a7'><h1 id=title>Hello</h1>";

export async function servePages(): Promise<Pages> {
  let hits = 0;
  const held = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    hits += 1;
    response.setHeader("content-type", "text/html");
    if (request.url === "/held") held.resolve(response);
    else response.writeHead(request.url === "/missing" ? 404 : 200).end(PAGE);
  });
  const { port, close } = await openPort(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    target: `127.0.0.1:${port}`,
    hits: () => hits,
    held: () => held.promise,
    close,
  };
}
