import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";

/**
 * Serves a web-standard handler with node:http, and passes the body unread. Bun, Deno, edge runtimes, Hono and
 * Next.js call such a handler directly and do not need this file.
 */
export function serve(handler: (request: Request) => Promise<Response>): Server {
  return createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headersDistinct } = incoming;
    const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const body = method === "GET" || method === "HEAD" ? null : Readable.toWeb(incoming);
    const respond = async (): Promise<void> => {
      const request = new Request(`http://localhost${url}`, { method, headers, body, duplex: "half" });
      const response = await handler(request);
      const bytes = await response.bytes();
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(bytes);
    };
    respond().catch(() => outgoing.writeHead(400).end());
  });
}
