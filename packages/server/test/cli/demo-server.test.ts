import { createServer } from "node:http";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { openPort } from "../../../testing/test/servers/open-port.ts";
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
    const { url } = await start(0);
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    expect(html).not.toMatch(/<script|<link[^>]+href="(?!data:)|<img|url\(|@import|src=/);
    for (const id of ["top", "hero", "facts", "cards", "charts", "pixels", "paper", "try", "strip"])
      expect(html).toContain(`id="${id}"`);
    expect((await fetch(`${url}other`)).status).toBe(404);
  });

  it("is served on the preferred port, or the next free one", async () => {
    const taken = await openPort(createServer());
    onTestFinished(taken.close);
    const next = await start(taken.port);
    expect(next.port).toBeGreaterThan(taken.port);
    expect(next.port).toBeLessThan(taken.port + 20);
    await taken.close();
    expect((await start(taken.port)).port).toBe(taken.port);
  });
});
