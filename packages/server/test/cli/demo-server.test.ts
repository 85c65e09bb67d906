import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { createServer } from "node:http";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { startDemoServer, type DemoServer } from "../../src/dev/demo-server.ts";

const started: DemoServer[] = [];
async function start(preferredPort: number): Promise<DemoServer> {
  const server = await startDemoServer(preferredPort);
  started.push(server);
  return server;
}
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

describe("the demo page", () => {
  it("is one document that loads nothing else", async () => {
    const { url } = await start(await findFreePort());
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    expect(html).not.toMatch(/<script|<link[^>]+href="(?!data:)|<img|url\(|@import|src=/);
    for (const id of ["top", "hero", "facts", "cards", "charts", "pixels", "paper", "try", "strip"])
      expect(html).toContain(`id="${id}"`);
    expect((await fetch(`${url}other`)).status).toBe(404);
  });

  it("uses the preferred port, or the next free one", async () => {
    const port = await findFreePort();
    const squatter = createServer().listen(port, "127.0.0.1");
    await once(squatter, "listening");
    const next = await start(port);
    expect(next.port).toBeGreaterThan(port);
    squatter.close();
    await once(squatter, "close");
    expect((await start(port)).port).toBe(port);
  });
});
