import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { connect } from "../../src/egress/connect.ts";
import { systemResolver } from "../../src/egress/names/system-resolver.ts";
import { resolveHost, resolveTarget } from "../../src/egress/resolve.ts";
import type { Resolver } from "../../src/ports/resolver.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

/** Starts a server on one loopback address that greets every client; returns its port. */
const listenAndGreet = (address?: string): Promise<number> =>
  listen(
    createServer((socket) => void socket.end("hello")),
    address,
  );

/** A resolver that returns one list after another, and repeats the last; records the requested names. */
function resolvingTo(...lists: readonly (readonly string[])[]): Resolver & { readonly requested: string[] } {
  const requested: string[] = [];
  return {
    requested,
    async resolve(hostname) {
      requested.push(hostname);
      return lists[Math.min(requested.length, lists.length) - 1] ?? [];
    },
  };
}

/** Starts a listener with a full accept queue, so the system does not respond to further connections. */
async function listenWithFullQueue(): Promise<number> {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
     const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = (await once(worker, "message")) as [number];
  for (let queued = 0; queued < 2; queued += 1) {
    const filler = createConnection({ port, host: "127.0.0.1" });
    onTestFinished(() => void filler.destroy());
    await once(filler, "connect");
  }
  return port;
}

const allowing = (entries: string): TargetPolicy => ({
  allow: parseTargetList(entries),
  ownHostnames: [],
});

const hanging: Resolver = { resolve: () => new Promise(() => {}) };

async function readAll(outcome: Socket | string): Promise<string> {
  if (typeof outcome === "string") return outcome;
  let text = "";
  for await (const chunk of outcome) text += String(chunk);
  outcome.destroy();
  return text;
}

describe("connect", () => {
  it("never connects to a denied target, even if the allowlist covers it", async () => {
    const port = await listenAndGreet();
    const resolver = resolvingTo(["127.0.0.1"]);
    const policy = {
      ...allowing("127.0.0.0/8, page.example"),
      deny: parseTargetList("127.0.0.1, bad.example"),
    };
    for (const hostname of ["127.0.0.1", "page.example", "www.bad.example"])
      expect(await connect({ hostname, port, policy, resolver })).toBe("blocked");
    expect(resolver.requested).toEqual(["page.example"]);
  });

  it("connects to an allowed literal address without name resolution", async () => {
    const port = await listenAndGreet();
    const resolver = resolvingTo();
    const policy = allowing(`127.0.0.1:${port}`);
    expect(await readAll(await connect({ hostname: "127.0.0.1", port, policy, resolver }))).toBe("hello");
    expect(resolver.requested).toEqual([]);
  });

  it("connects to an allowed IPv6 literal, with or without brackets", async () => {
    const port = await listenAndGreet("::1");
    const policy = allowing(`[::1]:${port}`);
    for (const hostname of ["::1", "[::1]"]) {
      const outcome = await connect({ hostname, port, policy, resolver: systemResolver });
      expect(await readAll(outcome)).toBe("hello");
    }
  });

  it("connects to the allowed addresses of a name, resolved once in its normalized form", async () => {
    const port = await listenAndGreet();
    const resolver = resolvingTo(["127.0.0.1"], ["127.0.0.2"]);
    const policy = allowing("127.0.0.1");
    const outcome = await connect({ hostname: "Site.Example.com.", port, policy, resolver });
    expect(await readAll(outcome)).toBe("hello");
    expect(resolver.requested).toEqual(["site.example.com"]);
  });

  it("tries the next address if one fails", async () => {
    const port = await listenAndGreet("127.0.0.3");
    const resolver = resolvingTo(["127.0.0.1", "::1", "127.0.0.2", "127.0.0.3"]);
    const policy = allowing("127.0.0.0/8,::1");
    const outcome = await connect({ hostname: "site.example.com", port, policy, resolver });
    expect(await readAll(outcome)).toBe("hello");
  });

  it("blocks a name if one of its addresses is not allowed", async () => {
    const port = await listenAndGreet();
    const policy = allowing("127.0.0.1");
    for (const addresses of [
      ["127.0.0.1", "127.0.0.2"],
      ["8.8.8.8", "169.254.169.254"],
      ["8.8.8.8", "::ffff:10.0.0.1"],
      ["8.8.8.8", "not an address"],
      ["fe80::1%lo"],
    ]) {
      const request = { hostname: "site.example.com", port, policy, resolver: resolvingTo(addresses) };
      expect(await connect(request)).toBe("blocked");
    }
  });

  it("checks every connection, so DNS rebinding fails", async () => {
    const port = await listenAndGreet();
    const policy = PUBLIC_TARGETS_ONLY;
    const resolver = resolvingTo(["8.8.8.8"], ["127.0.0.1"]);
    expect(await resolveTarget({ url: `http://rebind.example.com:${port}/`, policy, resolver })).toBeNull();
    expect(await connect({ hostname: "rebind.example.com", port, policy, resolver })).toBe("blocked");
    expect(resolver.requested).toEqual(["rebind.example.com", "rebind.example.com"]);
  });

  it("blocks a target by its host name or port, without name resolution", async () => {
    const resolver = resolvingTo(["8.8.8.8"]);
    const policy: TargetPolicy = { allow: [], ownHostnames: ["snap.example.com"] };
    for (const [hostname, port] of [
      ["localhost", 8080],
      ["db.internal", 80],
      ["127.0.0.1", 80],
      ["[::1]", 80],
      ["snap.example.com", 443],
      ["example.com", 25],
      ["example.com", 0],
    ] as const) {
      expect(await connect({ hostname, port, policy, resolver })).toBe("blocked");
    }
    expect(resolver.requested).toEqual([]);
  });

  it("connects to any address of an allowed name, but only on the allowed port", async () => {
    const port = await listenAndGreet();
    const policy = allowing(`wiki.internal:${port}`);
    const resolver = resolvingTo(["127.0.0.1"]);
    const outcome = await connect({ hostname: "wiki.internal", port, policy, resolver });
    expect(await readAll(outcome)).toBe("hello");
    expect(await connect({ hostname: "wiki.internal", port: port + 1, policy, resolver })).toBe("blocked");
  });

  it("returns unresolved if the name does not exist or has no addresses", async () => {
    const failingWith = (code: string): Resolver => ({
      resolve: () => Promise.reject(Object.assign(new Error("query failed"), { code })),
    });
    const policy = PUBLIC_TARGETS_ONLY;
    for (const resolver of [resolvingTo([]), failingWith("ENOTFOUND"), failingWith("ENODATA")])
      expect(await connect({ hostname: "example.com", port: 80, policy, resolver })).toBe("unresolved");
  });

  it("returns resolver-failed if resolution fails or takes too long, and reports the reason", async () => {
    const failing: Resolver = {
      resolve: () => Promise.reject(Object.assign(new Error("query failed"), { code: "ESERVFAIL" })),
    };
    const throwing: Resolver = {
      resolve() {
        throw new Error("broken");
      },
    };
    const policy = PUBLIC_TARGETS_ONLY;
    for (const [resolver, detail] of [
      [failing, "query failed"],
      [throwing, "broken"],
      [hanging, "example.com did not resolve within 20 ms"],
    ] as const) {
      const request = { hostname: "example.com", port: 80, policy, resolver, dnsTimeoutMs: 20 };
      expect(await connect(request)).toBe("resolver-failed");
      expect(await resolveHost(request)).toEqual({ failure: "resolver-failed", detail });
    }
  });

  it("returns unresolved for a name that DNS cannot express, without a lookup", async () => {
    const resolver = resolvingTo(["8.8.8.8"]);
    const request = { port: 80, policy: PUBLIC_TARGETS_ONLY, resolver };
    const longest = `${"a.".repeat(121)}example.com`;
    expect(longest).toHaveLength(253);
    expect(await resolveHost({ ...request, hostname: longest })).toEqual({ addresses: ["8.8.8.8"] });
    expect(await resolveHost({ ...request, hostname: `a${longest}` })).toEqual({
      failure: "unresolved",
      detail: "the name has more than 253 characters",
    });
    expect(resolver.requested).toEqual([longest]);
  });

  it("returns unreachable if nothing listens", async () => {
    const policy = allowing("127.0.0.0/8");
    const resolver = resolvingTo(["127.0.0.1", "127.0.0.2"]);
    const port = 1024; // below the ports that the system assigns to other tests
    expect(await connect({ hostname: "127.0.0.1", port, policy, resolver })).toBe("unreachable");
    expect(await connect({ hostname: "site.example.com", port, policy, resolver })).toBe("unreachable");
  });

  it("returns unreachable after the timeout or an abort, and reports only the timeout", async () => {
    const port = await listenWithFullQueue();
    const policy = allowing("127.0.0.1");
    const details: string[] = [];
    const onUnreachable = (detail: string): void => void details.push(detail);
    const request = { hostname: "127.0.0.1", port, policy, resolver: hanging, onUnreachable };
    expect(await connect({ ...request, connectTimeoutMs: 50 })).toBe("unreachable");
    expect(details).toEqual(["127.0.0.1 did not accept a connection within 50 ms"]);
    const controller = new AbortController();
    const waiting = connect({ ...request, signal: controller.signal });
    await setImmediate();
    controller.abort();
    expect(await waiting).toBe("unreachable");
    expect(details).toHaveLength(1);
  });

  it("stops if the signal aborts before or during name resolution, or before the connection", async () => {
    const request = { port: 80, policy: allowing("127.0.0.1"), resolver: hanging };
    const controller = new AbortController();
    const waiting = connect({ ...request, hostname: "example.com", signal: controller.signal });
    controller.abort();
    expect(await waiting).toBe("resolver-failed");
    const { signal } = controller;
    expect(await connect({ ...request, hostname: "example.com", signal })).toBe("resolver-failed");
    expect(await connect({ ...request, hostname: "127.0.0.1", signal })).toBe("unreachable");
  });
});

describe("resolveTarget", () => {
  const policy = allowing("10.0.0.0/8:22");

  it.each([
    ["http://example.com/", ["8.8.8.8"], null],
    ["http://example.com/", ["8.8.8.8", "127.0.0.1"], "blocked"],
    ["http://127.0.0.1.nip.io/", ["127.0.0.1"], "blocked"],
    ["http://example.com/", [], "unresolved"],
    ["http://8.8.8.8/", [], null],
    ["http://[::1]/", [], "blocked"],
    ["http://localhost/", ["8.8.8.8"], "blocked"],
    ["http://example.com:22/", ["10.0.0.1"], null],
    ["http://example.com:22/", ["8.8.8.8"], "blocked"],
    ["not a URL", ["8.8.8.8"], "blocked"],
  ])("for %s, which resolves to %j, returns the failure %s", async (url, addresses, failure) => {
    const rejected = await resolveTarget({ url, policy, resolver: resolvingTo(addresses) });
    expect(rejected?.failure ?? null).toBe(failure);
  });
});
