import { createServer, type IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import { openPort } from "../../../testing/test/servers/open-port.ts";
import type { Resolver } from "../../src/ports/resolver.ts";

/** A website that records its requests; every host name resolves to it. */
export interface RecordingSite {
  readonly port: number;
  readonly resolver: Resolver;
  /** Requests of one test, such as `ads.test/pixel.png`, and its WebSockets, such as `ws:ads.test/`, in alphabetical order. */
  received(test: string): readonly string[];
  url(hostname: string, path: string): string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };
const GIF = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

/**
 * Serves `pages` by path. Any other path returns a GIF, or an empty file if it ends in `.html`, `.js` or `.css`. A
 * request with `?to=URL` is redirected to that URL. A request belongs to the test that its query names, such as
 * `?test=1`. In a page, `$port` is replaced with the site's port, and `$test` with the query that names the test.
 */
export async function openRecordingSite(pages: Readonly<Record<string, string>>): Promise<RecordingSite> {
  const requests: { readonly test: string | null; readonly text: string }[] = [];
  const record = ({ headers, url = "/" }: IncomingMessage, scheme = ""): URL => {
    const requested = new URL(url, `http://${headers.host}`);
    const { hostname, pathname, searchParams } = requested;
    requests.push({ test: searchParams.get("test"), text: `${scheme}${hostname}${pathname}` });
    return requested;
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams, port } = record(request);
    const to = searchParams.get("to");
    if (to !== null) return response.writeHead(302, { location: to }).end();
    const extension = pathname.split(".").at(-1) ?? "";
    response.setHeader("content-type", TYPES[extension] ?? "image/gif");
    response.setHeader("access-control-allow-origin", "*");
    const test = searchParams.get("test") ?? "";
    const page = pages[pathname]?.replaceAll("$port", port).replaceAll("$test", `test=${test}`);
    response.end(page ?? (TYPES[extension] === undefined ? GIF : ""));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (_socket, request) => void record(request, "ws:"));
  const { port, close } = await openPort(server);
  return {
    port,
    resolver: { resolve: () => Promise.resolve(["127.0.0.1"]) },
    received: (test) =>
      requests
        .filter((request) => request.test === test)
        .map(({ text }) => text)
        .toSorted(),
    url: (hostname, path) => `http://${hostname}:${port}${path}`,
    close,
  };
}
