// @module-tag browser

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./picture.ts";
import { allowPorts, openRenderer, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

/** Whatever reaches the loopback beside the site itself: TCP connections and datagrams, on both families. */
interface Trap {
  readonly port: number;
  readonly caught: string[];
  close(): void;
}

async function openTrap(): Promise<Trap> {
  const caught: string[] = [];
  const server = createServer((socket) => {
    caught.push(`tcp from ${socket.remoteAddress}`);
    socket.once("data", (data) => caught.push(data.toString("latin1").split("\r\n")[0] ?? ""));
    socket.on("error", () => {});
  });
  server.listen(0, "::"); // IPv4 too
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const udp = createSocket({ type: "udp6", ipv6Only: false }).on("message", (_data, from) => {
    caught.push(`udp from ${from.address}`);
  });
  udp.bind(port, "::");
  await once(udp, "listening");
  return { port, caught, close: () => closeAll(server, udp) };
}

function closeAll(server: Server, udp: Socket): void {
  server.close();
  udp.close();
}

let trap: Trap;
let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  trap = await openTrap();
  site = await openSite({
    "/": "every-way-out.html",
    "/service-worker.js": (request, response) => {
      const to = new URL(request.url ?? "", "http://site").searchParams.get("to") ?? "";
      response.setHeader("content-type", "text/javascript");
      response.end(`fetch("${to}/service-worker", { mode: "no-cors" })`);
    },
  });
  renderer = openRenderer([site.port], {
    // names that lead to the loopback, as somebody's own DNS may say
    resolver: { resolve: async (name) => (name.startsWith("six") ? ["::1"] : ["127.0.0.1"]) },
  });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
  trap.close();
});

const HOSTS = [
  "127.0.0.1",
  "localhost",
  "2130706433",
  "0x7f.1",
  "0.0.0.0",
  "127.1.2.3",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "four.example",
  "six.example",
  "app.localhost",
];

describe("a page that tries every way out", () => {
  it.concurrent.each(HOSTS)("%s is not reached, and the page renders", async (host) => {
    const to = encodeURIComponent(`http://${host}:${trap.port}`);
    const options = { waitUntil: "networkidle0", delay: 500 } as const;
    const file = await renderer.render(screenshot(site.url(`/?to=${to}`), options));
    expect(file.targetStatus).toBe(200);
    expect(readPng(file.bytes).width).toBe(1280);
    expect(trap.caught).toEqual([]);
  });
});

describe("the trap", () => {
  it("catches the same page where it is allowed, though never its datagrams", async () => {
    const open = openRenderer([], { policy: allowPorts(site.port, trap.port) });
    const to = encodeURIComponent(`http://127.0.0.1:${trap.port}`);
    await open.render(screenshot(site.url(`/?to=${to}`), { waitUntil: "domcontentloaded", delay: 1000 }));
    await open.close();
    expect(trap.caught.length).toBeGreaterThan(20);
    expect(trap.caught.filter((line) => line.startsWith("udp"))).toEqual([]);
    trap.caught.length = 0;
  });
});
