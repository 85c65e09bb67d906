import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { listen } from "../../../testing/test/servers/listen.ts";

/** A request as it arrived. */
export interface Received {
  /** Host name and path, with the query, such as `own.example /page?a=1`. */
  readonly what: string;
  readonly headers: IncomingMessage["headers"];
}

/** A web site on the loopback interface that records the header fields of its requests. */
export interface EchoSite {
  readonly port: number;
  readonly received: readonly Received[];
  /** Returns the header fields of the requests for a path; fails if none has arrived. */
  headersOf(path: string): readonly IncomingMessage["headers"][];
}

export type Pages = Readonly<Record<string, Page>>;

type Page = string | ((response: ServerResponse) => void);

/**
 * Serves pages by path, and anything else as an empty image. Scripts from any origin can read the responses.
 *
 * @param tls - The certificate and key of a site with TLS; `null` for plain HTTP.
 */
export async function openEchoSite(
  pagesOf: (port: number) => Pages,
  tls: ServerOptions | null = null,
): Promise<EchoSite> {
  const received: Received[] = [];
  let pages: Pages = {};
  const respond: RequestListener = (request, response) => {
    const { headers } = request;
    const path = request.url ?? "/";
    received.push({ what: `${headers.host?.split(":")[0] ?? ""} ${path}`, headers });
    response.setHeader("access-control-allow-origin", headers.origin ?? "*");
    response.setHeader("access-control-allow-credentials", "true");
    const page = pages[path.split("?", 1)[0] ?? ""];
    if (typeof page === "function") return page(response);
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    response.setHeader("content-type", page === undefined ? "image/gif" : type);
    response.end(page);
  };
  const server = tls === null ? createServer(respond) : createTlsServer(tls, respond);
  server.on("upgrade", ({ headers, url }, socket) => {
    received.push({ what: `${headers.host?.split(":")[0] ?? ""} ${url}`, headers });
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  const port = await listen(server);
  pages = pagesOf(port);
  return {
    port,
    received,
    headersOf(path) {
      const found = received.filter(({ what }) => what.endsWith(` ${path}`));
      if (found.length === 0)
        throw new Error(`${path} was not requested, only ${received.map(({ what }) => what).join(", ")}`);
      return found.map(({ headers }) => headers);
    },
  };
}

/** Returns a page that redirects. */
export function redirectTo(location: string, status = 302): Page {
  return (response) => response.writeHead(status, { location }).end();
}
