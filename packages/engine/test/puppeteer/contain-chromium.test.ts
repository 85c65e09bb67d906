// @module-tag browser

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { openProxiedEgress } from "../../src/puppeteer/proxy/proxy.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";
import { readPng } from "./image.ts";
import { documentOf } from "./served-document.ts";
import { allowPorts, openRenderer, screenshot, type ScreenshotOptions } from "./setup.ts";
import type { Site } from "./site.ts";
import { HOSTS, openHostileSite, openTrap, TO_LOOPBACK, type Trap } from "./trap.ts";

let trap: Trap;
let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  trap = await openTrap();
  site = await openHostileSite();
  renderer = openRenderer([site.port], {
    resolver: TO_LOOPBACK,
  });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
  await trap.close();
});

describe("a page that tries every way to connect", () => {
  it.concurrent.each(HOSTS)("renders without reaching %s", async (host) => {
    const to = encodeURIComponent(`http://${host}:${trap.port}`);
    const options = { waitUntil: "networkidle0", delay: 500 } as const;
    const file = await renderer.render(screenshot(site.url(`/?to=${to}`), options));
    expect(file.targetStatus).toBe(200);
    expect(readPng(file.bytes).width).toBe(1280);
    expect(trap.caught).toEqual([]);
  });
});

it("a page that tries every way to connect sends no multicast DNS", async () => {
  const queries: string[] = [];
  const listener = createSocket({ type: "udp4", reuseAddr: true });
  listener.on("message", (query) => queries.push(query.toString("latin1")));
  listener.bind(5353);
  await once(listener, "listening");
  for (const address of [undefined, "127.0.0.1"]) listener.addMembership("224.0.0.251", address);
  const to = encodeURIComponent(`http://127.0.0.1:${trap.port}`);
  await renderer.render(screenshot(site.url(`/?to=${to}`), { waitUntil: "networkidle0", delay: 2_000 }));
  listener.close();
  // without a rule for `.local`, --host-resolver-rules makes the browser query NOTFOUND instead
  expect(queries.filter((query) => /NOTFOUND|way-out/.test(query))).toEqual([]);
  expect(trap.caught).toEqual([]);
});

describe("a page that tries every way to connect when a parameter triggers it", () => {
  const waited = "performance.now() - triedAt > 500";
  it.concurrent.each<[string, ScreenshotOptions]>([
    ["a click", { click: "#go", waitForFunction: waited }],
    ["a script", { script: "tryEverything()", waitForFunction: waited }],
    [
      "a script, with header fields",
      { script: "tryEverything()", waitForFunction: waited, headers: { "X-A": "1" } },
    ],
    ["a click, on a device", { click: "#go", waitForFunction: waited, device: "pixel-5", locale: "de-DE" }],
  ])("reaches nothing: %s", async (_how, options) => {
    const to = encodeURIComponent(`http://127.0.0.1:${trap.port}`);
    const file = await renderer.render(screenshot(site.url(`/?later&to=${to}`), options));
    expect(file.targetStatus).toBe(200);
    expect(trap.caught).toEqual([]);
  });

  it("cannot be navigated to a private address by a script", async () => {
    const location = `http://127.0.0.1:${trap.port}/`;
    const script = `location = ${JSON.stringify(location)}; await new Promise(() => {})`;
    const failure = renderer.render(screenshot(site.url("/?later"), { script }));
    await expect(failure).rejects.toMatchObject({ code: "blocked_host" });
    expect(trap.caught).toEqual([]);
  });
});

describe("a document that tries every way to connect", () => {
  const hostile = documentOf({
    "index.html": readFileSync(new URL("../fixtures/pages/every-way-out.html", import.meta.url)),
    "service-worker.js":
      "fetch(`${new URL(location).searchParams.get('to')}/service-worker`, { mode: 'no-cors' })",
  });
  const to = (port: number): string =>
    ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "four.example"]
      .flatMap((host) => [`http://${host}:${port}`, `https://${host}:${port}`])
      .map((origin) => `to=${encodeURIComponent(origin)}`)
      .join("&");

  it("renders without reaching any target", async () => {
    const page = screenshot(`${hostile.url}?${to(trap.port)}`, { waitUntil: "networkidle0", delay: 500 });
    const file = await renderer.render(page, { document: hostile });
    expect(file.targetStatus).toBe(200);
    expect(trap.caught).toEqual([]);
  });

  it("reaches the trap over TCP if its port is allowed, but never over UDP", async () => {
    const open = openRenderer([], { targets: allowPorts(trap.port) });
    const page = screenshot(`${hostile.url}?${to(trap.port)}`, {
      waitUntil: "domcontentloaded",
      delay: 1000,
    });
    await open.render(page, { document: hostile });
    await open.close();
    expect(trap.caught.length).toBeGreaterThan(20);
    expect(trap.caught.filter((line) => line.startsWith("udp"))).toEqual([]);
    trap.caught.length = 0;
  });
});

describe("a page that is allowed to reach loopback addresses", () => {
  it("reaches other ports there, but not other renders' egress proxies", async () => {
    const clients: Socket[] = [];
    const policy: TargetPolicy = { allow: parseTargetList("127.0.0.0/8, ::1, localhost"), ownHostnames: [] };
    const proxy = await openProxiedEgress(
      { resolver: TO_LOOPBACK, policy },
      { host: "127.0.0.1", accepts: (client) => clients.push(client) > 0 },
    );
    const open = openRenderer([], { targets: policy, resolver: TO_LOOPBACK });
    const tries = ["127.0.0.1", "[::ffff:7f00:1]", "four.example"].map((host) => {
      const to = encodeURIComponent(`http://${host}:${proxy.port}`);
      const options = { waitUntil: "networkidle0", delay: 500 } as const;
      return open.render(screenshot(site.url(`/?to=${to}`), options));
    });
    // the page itself is on such a port
    expect((await Promise.all(tries)).map(({ targetStatus }) => targetStatus)).toEqual([200, 200, 200]);
    const direct = open.render(screenshot(`http://127.0.0.1:${proxy.port}/`));
    await expect(direct).rejects.toMatchObject({ code: "blocked_host" });
    expect(clients).toEqual([]);
    await open.close();
    await proxy.close();
  });
});

describe("the trap", () => {
  it("receives the same page's TCP connections if they are allowed, but never its UDP datagrams", async () => {
    const open = openRenderer([], { targets: allowPorts(site.port, trap.port) });
    const to = encodeURIComponent(`http://127.0.0.1:${trap.port}`);
    await open.render(screenshot(site.url(`/?to=${to}`), { waitUntil: "domcontentloaded", delay: 1000 }));
    await open.close();
    expect(trap.caught.length).toBeGreaterThan(20);
    expect(trap.caught.filter((line) => line.startsWith("udp"))).toEqual([]);
    trap.caught.length = 0;
  });
});
