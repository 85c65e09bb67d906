import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readAsset } from "../read-asset.ts";

/** Loopback only: the page is for the browser on this machine. */
const HOST = "127.0.0.1";
/** Consecutive ports to try before taking any free one. */
const PORT_ATTEMPTS = 20;

/** Serves the page that the demo renders. */
export interface DemoServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the demo page on `preferredPort` or the next free port, so its URL usually stays the same between
 * starts.
 */
export async function startDemoServer(preferredPort: number): Promise<DemoServer> {
  const demoPage = readAsset("demo.html");
  const server = createServer((request, response) => {
    const isDemoPage = request.url === "/" && (request.method === "GET" || request.method === "HEAD");
    response
      .writeHead(isDemoPage ? 200 : 404, {
        "content-type": isDemoPage ? "text/html; charset=utf-8" : "text/plain; charset=utf-8",
        "cache-control": "no-store",
      })
      .end(isDemoPage ? demoPage : "Not found; the demo page is at /.\n");
  });
  const port = await listen(server, preferredPort);
  // a connection that cannot be accepted, for lack of memory or file descriptors, only fails for its client
  server.on("error", () => {});
  return {
    url: `http://${HOST}:${port}/`,
    host: HOST,
    port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function listen(server: Server, preferredPort: number): Promise<number> {
  const candidates = Array.from({ length: PORT_ATTEMPTS }, (_, index) => preferredPort + index);
  for (const port of [...candidates.filter((candidate) => candidate > 1023 && candidate <= 65_535), 0]) {
    try {
      server.listen(port, HOST);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (port === 0 || !isTaken(error)) throw error;
    }
  }
  throw new Error("no free port for the demo page");
}

/** Whether another program is using the port. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
