// @module-tag browser

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  openConnectProxy,
  type ConnectProxy,
  type ProxyFault,
} from "../../../testing/test/servers/connect-proxy.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { parseUpstreamProxy, type UpstreamProxyOptions } from "../../src/egress/upstream-proxy.ts";
import { createPuppeteerRenderer } from "../../src/puppeteer/index.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { errorOf, screenshot } from "./setup.ts";
import { openSite, redirect, type Site } from "./site.ts";

/** Not this machine's address, so whatever the site receives came through the proxy. */
const PUBLIC = "93.184.215.14";
const CREDENTIALS = "ada:s3cret";

let site: Site;
let internal: Site;
let proxy: ConnectProxy;
/** Faults of the proxy, by host and port. */
let faults: Record<string, ProxyFault>;

beforeAll(async () => {
  internal = await openSite({ "/": "internal" });
  site = await openSite({
    "/": `<h1>page</h1>
      <img src="http://third.example/image">
      <img src="${internal.url("/image")}">
      <img src="http://[::1]:${internal.port}/image">
      <img src="http://private.example/image">
      <iframe src="${internal.url("/frame")}"></iframe>
      <script>
        fetch("${internal.url("/fetch")}").catch(() => {});
        new WebSocket("ws://127.0.0.1:${internal.port}/socket");
        new WebSocket("ws://socket.example/socket");
        new Worker(URL.createObjectURL(new Blob(['fetch("${internal.url("/worker")}").catch(() => {})'])));
      </script>`,
    "/to-private": redirect("http://private.example/"),
    "/to-internal": redirect(internal.url("/")),
  });
  proxy = await openConnectProxy({
    upstreamPort: site.port,
    credentials: CREDENTIALS,
    faultOf: (authority) => faults[authority] ?? null,
  });
});

beforeEach(() => {
  faults = {};
  proxy.authorities.length = 0;
});

afterAll(async () => {
  await proxy.close();
  await site.close();
  await internal.close();
});

function open(options: Partial<UpstreamProxyOptions> = {}): Renderer {
  const renderer = createPuppeteerRenderer({
    resolver: { resolve: async (name) => (name.startsWith("private") ? ["10.0.0.1"] : [PUBLIC]) },
    upstreamProxy: parseUpstreamProxy({ url: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}`, ...options }),
    warmContexts: 1,
  });
  onTestFinished(() => renderer.close());
  return renderer;
}

describe("a page behind an upstream proxy", () => {
  it("reaches everything through it, and nothing private", async () => {
    await open().render(screenshot("http://page.example/", { waitUntil: "networkidle0" }));
    expect(new Set(proxy.authorities)).toEqual(new Set([`${PUBLIC}:80`]));
    expect(site.requests).toEqual(expect.arrayContaining(["GET /", "GET /image"]));
    expect(internal.requests).toEqual([]);
  });

  it("sends host names if the proxy resolves them", async () => {
    await open({ dns: "proxy" }).render(screenshot("http://page.example/", { waitUntil: "networkidle0" }));
    expect(proxy.authorities).toEqual(expect.arrayContaining(["page.example:80", "third.example:80"]));
    expect(proxy.authorities.filter((authority) => !authority.includes(".example:80"))).toEqual([]);
    expect(internal.requests).toEqual([]);
  });

  it.each(["/to-private", "/to-internal"])(
    "is blocked if it redirects to a private address: %s",
    async (path) => {
      const error = await errorOf(open().render(screenshot(`http://page.example${path}`)));
      expect(error).toMatchObject({ code: "blocked_host" });
      expect(internal.requests).toEqual([]);
    },
  );

  it.each([403, 502, 504])("is unreachable if the proxy rejects its host with %s", async (status) => {
    faults = { [`${PUBLIC}:80`]: status };
    expect(await errorOf(open().render(screenshot("http://page.example/")))).toMatchObject({
      code: "target_unreachable",
      message: "Could not connect to the page's host.",
    });
  });
});

describe("a render", () => {
  const unavailable = {
    code: "upstream_error",
    message: "The service cannot reach the internet at the moment. Retry shortly.",
    retryAfterSeconds: 5,
    isTransient: true,
  };

  it("fails with a transient error while the upstream proxy is down", async () => {
    const url = `http://${CREDENTIALS}@127.0.0.1:${await findFreePort()}`;
    const error = await errorOf(open({ url }).render(screenshot("https://page.example/")));
    expect(error).toMatchObject(unavailable);
    expect(error.detail).toMatch(
      /^the upstream proxy http:\/\/127\.0\.0\.1:\d+ is not accepting connections: .* at https:\/\/page\.example$/,
    );
  });

  it("fails with a transient error, without the password, if the upstream proxy rejects it", async () => {
    const url = `http://ada:wr0ng@127.0.0.1:${proxy.port}`;
    const error = await errorOf(open({ url }).render(screenshot("https://page.example/")));
    expect(error).toMatchObject(unavailable);
    expect(error.detail).toContain("rejected this service's user name and password, or requires them (407)");
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("wr0ng");
  });
});

it("a renderer whose pages connect directly does not accept an upstream proxy", () => {
  const upstreamProxy = parseUpstreamProxy({ url: "http://proxy.example:3128" });
  expect(() =>
    createPuppeteerRenderer({ browserUrls: ["ws://127.0.0.1:1/"], browserEgress: "direct", upstreamProxy }),
  ).toThrow(new RangeError('upstreamProxy requires browserEgress "proxy"'));
});
