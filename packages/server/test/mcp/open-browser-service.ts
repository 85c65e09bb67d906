import { createEngine, systemResolver, type TargetPolicy } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { createMemoryStorage } from "@snap/testing";
import { createServer } from "node:http";
import { openPort } from "../../../testing/test/servers/open-port.ts";
import { serveEngine } from "../http/serve-engine.ts";
import type { Access } from "./clients.ts";

const LOOPBACK: TargetPolicy = {
  allow: [{ kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null }],
  ownHostnames: [],
};

/** The whole service with a real browser, and a site to render. */
export interface BrowserService {
  /** Origin of the site. */
  readonly site: string;
  readonly access: Access;
  /** Fetches a signed link from the service itself: in these tests, no reverse proxy serves its public URL. */
  fetchLink(link: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** @param pages The site's pages by path and query; later changes take effect. */
export async function openBrowserService(pages: Readonly<Record<string, string>>): Promise<BrowserService> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    response.writeHead(page === undefined ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" });
    response.end(page);
  });
  const site = await openPort(server);
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createPuppeteerRenderer({ targets: LOOPBACK }),
    secretKey: "a key for these tests",
    resolver: systemResolver,
    targets: LOOPBACK,
  });
  const service = await serveEngine(engine);
  const account = await engine.accounts.create({
    email: "a@example.com",
    planSlug: "starter",
    requestsPerMinute: 100,
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  return {
    site: `http://127.0.0.1:${site.port}`,
    access: { origin: service.origin, token },
    fetchLink: (link) => {
      const { pathname, search } = new URL(String(link));
      return fetch(service.origin + pathname + search);
    },
    async close() {
      await service.stop();
      await engine.close();
      await site.close();
    },
  };
}
