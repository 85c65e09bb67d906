import { once } from "node:events";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate } from "../../../testing/test/servers/certificate.ts";
import {
  openConnectProxy,
  type ConnectProxy,
  type ConnectProxyOptions,
} from "../../../testing/test/servers/connect-proxy.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { connect, type ConnectFailure } from "../../src/egress/connect.ts";
import { resolveTarget } from "../../src/egress/resolve.ts";
import { parseUpstreamProxy, type UpstreamProxyOptions } from "../../src/egress/upstream-proxy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";
import { serveTcp } from "./egress-proxy.ts";

const PUBLIC = "93.184.215.14";
const SECRET = "s3cret%40word";

async function openProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const proxy = await openConnectProxy(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

interface ReachOptions extends Partial<UpstreamProxyOptions> {
  readonly hostname?: string;
  readonly port?: number;
  /** The addresses of every name except `proxy.example`. */
  readonly addresses?: readonly string[];
  readonly allow?: string;
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface ReachResult {
  readonly failure: ConnectFailure | null;
  /** The text that the host sent immediately. */
  readonly greeting: string;
  readonly detail: string;
  readonly lookups: readonly string[];
}

/** Connects through the proxy, or through the one at `url`. */
async function reach(proxy: Pick<ConnectProxy, "port">, options: ReachOptions = {}): Promise<ReachResult> {
  const { hostname = "page.example", port = 443, addresses = [PUBLIC], allow = "", ...rest } = options;
  let detail = "";
  const lookups: string[] = [];
  const outcome = await connect({
    hostname,
    port,
    policy: { allow: parseTargetList(allow), ownHostnames: [] },
    upstreamProxy: parseUpstreamProxy({ url: `http://127.0.0.1:${proxy.port}`, ...rest }),
    resolver: {
      resolve: async (name) => {
        lookups.push(name);
        return name === "proxy.example" ? ["127.0.0.1"] : addresses;
      },
    },
    onUnreachable: (reason) => (detail = reason),
    ...rest,
  });
  if (typeof outcome === "string") return { failure: outcome, greeting: "", detail, lookups };
  onTestFinished(() => void outcome.destroy());
  const [greeting] = (await once(outcome, "data")) as [Buffer];
  return { failure: null, greeting: String(greeting), detail, lookups };
}

const serveGreeting = (text: string): Promise<number> => serveTcp((socket) => void socket.end(text));

describe("a connection through the upstream proxy", () => {
  it("requests the checked address, and receives what the host sends first", async () => {
    const proxy = await openProxy({ upstreamPort: await serveGreeting("hello") });
    expect(await reach(proxy)).toMatchObject({ failure: null, greeting: "hello" });
    expect(proxy.authorities).toEqual(["93.184.215.14:443"]);
    expect(proxy.headers).toEqual([expect.objectContaining({ host: "93.184.215.14:443" })]);
    expect(proxy.headers[0]).not.toHaveProperty("proxy-authorization");
  });

  it("authenticates, with the user name and password decoded", async () => {
    const proxy = await openProxy({
      upstreamPort: await serveGreeting("hello"),
      credentials: "ada:s3cret@word",
    });
    const url = `http://ada:${SECRET}@proxy.example:${proxy.port}`;
    expect(await reach(proxy, { url })).toMatchObject({ failure: null });
  });

  it("uses TLS to an https proxy, whose certificate must be valid", async () => {
    const names = [{ kind: "dns", name: "proxy.example" } as const];
    const tls = makeCertificate({ names, validUntil: new Date(Date.now() + 86_400_000) });
    const proxy = await openProxy({ upstreamPort: await serveGreeting("hello"), tls });
    const url = `https://proxy.example:${proxy.port}`;
    expect(await reach(proxy, { url })).toMatchObject({
      failure: "proxy-failed",
      detail: `the upstream proxy ${url} did not complete the TLS handshake, or has an invalid certificate`,
    });
    const trusted = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, tls.cert]);
    expect(await reach(proxy, { url })).toMatchObject({ failure: null, greeting: "hello" });
  });

  it("tries up to three addresses, IPv4 first", async () => {
    const addresses = ["2606:2800:21f::1", PUBLIC, "2606:2800:21f::2", "93.184.215.15"];
    const proxy = await openProxy({ faultOf: () => 502 });
    expect(await reach(proxy, { addresses })).toMatchObject({ failure: "unreachable" });
    expect(proxy.authorities).toEqual(["93.184.215.14:443", "93.184.215.15:443", "[2606:2800:21f::1]:443"]);
  });
});

describe("the documents' host", () => {
  it.each([
    ["documents.snap.invalid", 443, "local"],
    ["documents.snap.invalid", 80, "proxy"],
    ["Documents.snap.invalid.", 8443, "proxy"],
  ] as const)("is unresolved: %s, port %i, dns=%s", async (hostname, port, dns) => {
    const proxy = await openProxy();
    const allow = "documents.snap.invalid";
    expect(await reach(proxy, { hostname, port, dns, allow })).toMatchObject({
      failure: "unresolved",
      lookups: [],
    });
    expect(proxy.authorities).toEqual([]);
  });
});

describe("an upstream proxy", () => {
  it.each([
    [403, "unreachable", "refused to connect to the host (403)"],
    [502, "unreachable", "refused to connect to the host (502)"],
    [504, "unreachable", "refused to connect to the host (504)"],
    [407, "proxy-failed", "rejected this service's user name and password, or requires them (407)"],
    [429, "proxy-failed", "limited this service's connections (429)"],
    ["closes", "proxy-failed", "did not send an HTTP response"],
    ["silent", "unreachable", "did not respond to CONNECT in time"],
  ] as const)("that does not open a tunnel (%s) causes %s", async (fault, failure, reason) => {
    const proxy = await openProxy({ faultOf: () => fault });
    const url = `http://ada:${SECRET}@127.0.0.1:${proxy.port}`;
    const outcome = await reach(proxy, { url, connectTimeoutMs: 300 });
    const detail = `the upstream proxy http://127.0.0.1:${proxy.port} ${reason}`;
    expect(outcome).toMatchObject({ failure, detail });
    expect(inspect(outcome)).not.toMatch(/s3cret|ada/);
  });

  it("adds no detail if the caller aborts", async () => {
    const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>();
    const proxy = await openProxy({ faultOf: () => (onRequest(), "silent") });
    const abort = new AbortController();
    const outcome = reach(proxy, { signal: abort.signal });
    await requested;
    abort.abort();
    expect(await outcome).toMatchObject({ detail: "" });
  });

  it("causes proxy-failed if it is down", async () => {
    const { failure, detail } = await reach({ port: await findFreePort() });
    expect(failure).toBe("proxy-failed");
    expect(detail).toContain("is not accepting connections: connect ECONNREFUSED");
  });

  it("causes proxy-failed if it does not speak HTTP", async () => {
    const port = await serveTcp((socket) => void socket.once("data", () => socket.end("SSH-2.0-x\r\n")));
    expect(await reach({ port })).toMatchObject({ failure: "proxy-failed" });
  });
});

describe("behind an upstream proxy, a target", () => {
  it.each([
    [{ hostname: "10.0.0.1" }],
    [{ hostname: "169.254.169.254", port: 80 }],
    [{ hostname: "wiki.corp" }],
    [{ hostname: "metadata.google.internal" }],
    [{ hostname: "127.0.0.1" }],
    [{ hostname: "page.example", port: 25 }],
    [{ addresses: ["10.0.0.1"] }],
    [{ addresses: [PUBLIC, "192.168.0.1"] }],
  ])("is blocked before the proxy sees it if it is not allowed: %o", async (target) => {
    const proxy = await openProxy();
    expect(await reach(proxy, target)).toMatchObject({ failure: "blocked" });
    expect(proxy.authorities).toEqual([]);
  });

  it("is blocked if it is the proxy itself", async () => {
    const proxy = await openProxy();
    const { port } = proxy;
    const url = `http://proxy.example:${port}`;
    expect(await reach(proxy, { hostname: "127.0.0.1", port, allow: "127.0.0.1" })).toMatchObject({
      failure: "blocked",
    });
    expect(await reach(proxy, { url, hostname: "proxy.example", port, dns: "proxy" })).toMatchObject({
      failure: "blocked",
    });
    expect(proxy.authorities).toEqual([]);
  });

  it.each([
    ["page.example", "page.example"],
    [".page.example", "www.page.example"],
    ["other.example, *.page.example", "page.example"],
    ["127.0.0.0/8", "page.example"],
    ["", "127.0.0.1"],
    ["", "localhost"],
  ])("is reached directly if it is in the bypass %j, or is loopback: %s", async (noProxy, hostname) => {
    const proxy = await openProxy();
    const port = await serveGreeting("direct");
    const options = { noProxy, hostname, port, addresses: ["127.0.0.1"], allow: `127.0.0.1,localhost` };
    expect(await reach(proxy, options)).toMatchObject({ failure: null, greeting: "direct" });
    expect(proxy.authorities).toEqual([]);
  });

  it.each(["page.example:444", "10.0.0.0/8", "age.example", "www.page.example"])(
    "outside the bypass %j goes through the proxy",
    async (noProxy) => {
      const proxy = await openProxy({ upstreamPort: await serveGreeting("hello") });
      expect(await reach(proxy, { noProxy })).toMatchObject({ greeting: "hello" });
      expect(proxy.authorities).toEqual(["93.184.215.14:443"]);
    },
  );
});

describe("an upstream proxy that resolves names", () => {
  it("receives the name, which the service does not resolve", async () => {
    const proxy = await openProxy({ upstreamPort: await serveGreeting("hello") });
    expect(await reach(proxy, { dns: "proxy" })).toMatchObject({ greeting: "hello", lookups: [] });
    expect(proxy.authorities).toEqual(["page.example:443"]);
  });

  it.each([
    [{ hostname: "10.0.0.1" }],
    [{ hostname: "[::1]" }],
    [{ hostname: "wiki.corp" }],
    [{ hostname: "intranet" }],
    [{ hostname: "page.example", port: 25 }],
    [{ hostname: "page.example", port: 25, allow: "10.0.0.5:25" }],
  ])("never receives a target that is blocked without a lookup: %o", async (target) => {
    const proxy = await openProxy();
    expect(await reach(proxy, { dns: "proxy", ...target })).toMatchObject({ failure: "blocked" });
    expect(proxy.authorities).toEqual([]);
  });

  it("does not resolve a name in the bypass, which this service checks", async () => {
    const proxy = await openProxy();
    const options = { dns: "proxy", noProxy: "page.example", addresses: ["10.0.0.1"] } as const;
    expect(await reach(proxy, options)).toMatchObject({ failure: "blocked", lookups: ["page.example"] });
  });

  it("makes the early check of a target succeed without a lookup", async () => {
    const upstreamProxy = parseUpstreamProxy({ url: "http://127.0.0.1:3128", dns: "proxy" });
    const resolver = { resolve: () => expect.fail("looked up") };
    const policy = { allow: [], ownHostnames: [] };
    expect(await resolveTarget({ url: "https://page.example/", policy, resolver, upstreamProxy })).toBeNull();
  });
});

describe("the URL of an upstream proxy", () => {
  it.each([
    "proxy.example:3128",
    "socks5://proxy.example",
    "http://proxy.example/path",
    "http://proxy.example?query",
    "",
  ])("is rejected without being quoted: %j", (url) => {
    expect(() => parseUpstreamProxy({ url })).toThrow(
      new RangeError(
        "must be the URL of a proxy such as http://proxy.example:3128 or http://user:password@proxy.example:3128, without a path",
      ),
    );
  });

  it("must have decodable credentials", () => {
    expect(() => parseUpstreamProxy({ url: "http://ada:100%@proxy.example" })).toThrow(
      "must have a percent-encoded user name and password; encode % as %25, @ as %40",
    );
  });

  it("must have a user name without a colon", () => {
    expect(() => parseUpstreamProxy({ url: "http://ada%3Abyron:secret@proxy.example" })).toThrow(
      new RangeError("must have a user name without a colon"),
    );
  });

  it("is rejected with a RangeError if an entry of the bypass is invalid", () => {
    const options = { url: "http://proxy.example:3128", noProxy: "intranet.example:0" };
    expect(() => parseUpstreamProxy(options)).toThrow(RangeError);
    expect(() => parseUpstreamProxy(options)).toThrow(
      '"intranet.example:0": the port must be from 1 to 65535',
    );
  });

  it("is parsed without revealing its credentials", () => {
    const proxy = parseUpstreamProxy({ url: `http://ada:${SECRET}@proxy.example:3128` });
    expect(inspect(proxy, { depth: 9 }) + JSON.stringify(proxy)).not.toMatch(/s3cret|ada|Basic/);
    expect(proxy).toMatchObject({
      hostname: "proxy.example",
      port: 3128,
      origin: "http://proxy.example:3128",
    });
  });
});
