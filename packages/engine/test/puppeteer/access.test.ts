// @module-tag browser

import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPuppeteerRenderer } from "../../src/puppeteer/index.ts";
import type { RenderedFile, Renderer } from "../../src/ports/renderer.ts";
import { openEchoSite, redirectTo, type EchoSite, type Pages, type Received } from "./echo-site.ts";
import { errorOf, screenshot, type ScreenshotOptions } from "./setup.ts";
import { TO_LOOPBACK } from "./trap.ts";

/** Part of every secret before it is encoded. */
const SECRET = "s3cr3t";
const ACCESS = {
  headers: { "X-Secret": `header ${SECRET}` },
  cookies: [{ name: "session", value: `cookie ${SECRET}` }],
  basicAuth: `ada:${SECRET}`,
};
const AUTHORIZATION = "Basic YWRhOnMzY3IzdA==";

let renderer: Renderer;

beforeAll(() => {
  const loopback = { kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null } as const;
  renderer = createPuppeteerRenderer({
    targets: { allow: [loopback], ownHostnames: [] },
    resolver: TO_LOOPBACK,
  });
});

afterAll(() => renderer.close());

interface Sites {
  readonly own: EchoSite;
  readonly third: EchoSite;
}

/** The origins of both sites, for the links of the pages. */
interface Origins {
  readonly ownOrigin: string;
  readonly thirdOrigin: string;
}

/** Opens a site at own.example with these pages, and one at third.example. */
async function openSites(ownPages: (origins: Origins) => Pages): Promise<Sites> {
  let ownOrigin = "";
  const third = await openEchoSite((port) => ({
    "/frame": (response) => {
      response.setHeader("content-type", "text/html");
      response.end(hostileFrame(ownOrigin));
    },
    "/back": (response) => response.writeHead(302, { location: `${ownOrigin}/came-back` }).end(),
    "/back-by-refresh": (response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<meta http-equiv=refresh content="0; url=${ownOrigin}/came-back">`);
    },
    "/worker.js": `fetch("http://third.example:${port}/from-worker")`,
  }));
  const thirdOrigin = `http://third.example:${third.port}`;
  const own = await openEchoSite((port) => {
    ownOrigin = `http://own.example:${port}`;
    return ownPages({ ownOrigin, thirdOrigin });
  });
  return { own, third };
}

/** A page of the other site. Its requests for resources of `origin` must not carry the secrets. */
function hostileFrame(origin: string): string {
  return `<meta name=referrer content=no-referrer>
    <iframe src="${origin}/document-of-frame"></iframe>
    <img src="${origin}/image-of-frame"><script src="${origin}/script-of-frame.js"></script>
    <script>
      const mark = () => {
        parent.postMessage("done", "*");
        document.documentElement.id = "done";
      };
      Promise.allSettled([
        fetch("${origin}/fetch-of-frame"),
        fetch("${origin}/fetch-of-frame-with-cookies", { credentials: "include" }),
        fetch("/own-fetch-of-frame"),
      ]).then(mark, mark);
    </script>`;
}

/** Returns a script that marks the page as done once the promises have settled. */
function markWhen(...promises: readonly string[]): string {
  return `Promise.allSettled([${promises.join(", ")}]).then(() => document.body.append(
    Object.assign(document.createElement("i"), { id: "done" })));`;
}

const DONE: ScreenshotOptions = { waitForSelector: "#done" };

function render({ own }: Sites, options: ScreenshotOptions = {}, path = "/"): Promise<RenderedFile> {
  return renderer.render(screenshot(`http://own.example:${own.port}${path}`, { ...ACCESS, ...options }));
}

/** Returns the paths of requests that lack a secret; fails if a path was not requested. */
function findIncomplete({ own }: Sites, ...paths: readonly string[]): string[] {
  const isComplete = (headers: Received["headers"]): boolean =>
    headers["x-secret"] === "header s3cr3t" &&
    headers.authorization === AUTHORIZATION &&
    headers.cookie === "session=cookie s3cr3t";
  return paths.filter((path) => !own.headersOf(path).every(isComplete));
}

/** Returns the requests to a site that carry a secret; fails if a path was not requested. */
function findLeaks({ received, headersOf }: EchoSite, ...paths: readonly string[]): string[] {
  for (const path of paths) headersOf(path);
  return received.filter(hasSecret).map(({ what }) => what);
}

function hasSecret({ headers }: Received): boolean {
  return headers.authorization !== undefined || JSON.stringify(headers).includes(SECRET);
}

describe("headers, cookies and basicAuth", () => {
  it.each([
    ["in a ready tab", false],
    ["in a tab that is opened at the URL", true],
  ])("reach the document and its resources, %s", async (_where, isIsolated) => {
    const sites = await openSites(() => ({
      "/": `<img src=/image><iframe src=/nested></iframe><link rel=stylesheet href=/style>
        <script>const worker = new Worker("/worker.js"); worker.onmessage = () => {
          ${markWhen('fetch("/fetched")', 'fetch("/posted", { method: "POST", body: "x" })')}
        }</script>`,
      "/worker.js": `fetch("/from-worker").then(() => postMessage(1))`,
      "/nested": "nested",
    }));
    const url = `http://own.example:${sites.own.port}/`;
    await renderer.render(screenshot(url, { ...ACCESS, ...DONE }), { isIsolated });
    expect(
      findIncomplete(
        sites,
        "/",
        "/image",
        "/nested",
        "/style",
        "/fetched",
        "/posted",
        "/worker.js",
        "/from-worker",
      ),
    ).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])(
    "are not sent to another site after a redirect with %d",
    async (status) => {
      const sites = await openSites(({ thirdOrigin }) => ({
        "/": redirectTo("/hop", status),
        "/hop": redirectTo(`${thirdOrigin}/landed`, status),
      }));
      await render(sites);
      expect(findIncomplete(sites, "/", "/hop")).toEqual([]);
      expect(findLeaks(sites.third, "/landed")).toEqual([]);
    },
  );

  it.each([
    ["a meta refresh", (to: string) => `<meta http-equiv=refresh content="0; url=${to}">`],
    ["a script", (to: string) => `<script>location = "${to}"</script>`],
    [
      "a form",
      (to: string) => `<form method=post action="${to}"></form><script>document.forms[0].submit()</script>`,
    ],
  ])("are not sent to another site that %s leads to", async (_what, leave) => {
    const sites = await openSites(({ thirdOrigin }) => ({ "/": leave(`${thirdOrigin}/landed`) }));
    await render(sites);
    expect(findIncomplete(sites, "/")).toEqual([]);
    expect(findLeaks(sites.third, "/landed")).toEqual([]);
  });

  it.each(["/back", "/back-by-refresh"])("are sent again when %s returns to the origin", async (back) => {
    const sites = await openSites(({ thirdOrigin }) => ({ "/": redirectTo(`${thirdOrigin}${back}`) }));
    await render(sites);
    expect(findLeaks(sites.third, back)).toEqual([]);
    expect(findIncomplete(sites, "/came-back")).toEqual([]);
  });

  it("do not reach another site from the page or its dedicated worker", async () => {
    const sites = await openSites(({ thirdOrigin: third }) => ({
      "/": `<img src="${third}/image"><script src="${third}/script.js"></script>
        <link rel=stylesheet href="${third}/style"><link rel=prefetch href="${third}/prefetched">
        <img src="/image-to-third"><video src="${third}/video"></video>
        <script type=speculationrules>{"prefetch": [{"urls": ["${third}/speculated"]}]}</script>
        <script>
          const worked = new Promise((resolve) => { new Worker("/worker.js").onmessage = resolve; });
          const socket = new WebSocket("${third.replace("http", "ws")}/socket");
          navigator.sendBeacon("${third}/beacon", "x");
          ${markWhen(
            "worked",
            "new Promise((resolve) => { socket.onerror = resolve; })",
            `fetch("${third}/fetched", { credentials: "include" })`,
            'fetch("/fetch-to-third", { credentials: "include" })',
            'fetch("/fetch-307-to-third", { method: "POST", body: "x" })',
          )}
        </script>`,
      "/worker.js": `Promise.allSettled([fetch("${third}/from-worker"), fetch("/fetch-to-third?worker")])
        .then(() => postMessage(1))`,
      "/image-to-third": redirectTo(`${third}/redirected-image`),
      "/fetch-to-third": redirectTo(`${third}/redirected-fetch`),
      "/fetch-307-to-third": redirectTo(`${third}/redirected-post`, 307),
    }));
    await render(sites, DONE);
    expect(findIncomplete(sites, "/", "/image-to-third", "/fetch-to-third", "/fetch-307-to-third")).toEqual(
      [],
    );
    expect(
      findLeaks(
        sites.third,
        "/image",
        "/script.js",
        "/style",
        "/redirected-image",
        "/fetched",
        "/redirected-fetch",
        "/redirected-post",
        "/from-worker",
        "/socket",
      ),
    ).toEqual([]);
  });

  it("do not reach another site from shared workers", async () => {
    const sites = await openSites(({ thirdOrigin: third }) => ({
      "/": `<script>
        const shared = new SharedWorker("/shared.js");
        ${markWhen("new Promise((resolve) => { shared.port.onmessage = resolve; })")}
      </script>`,
      "/shared.js": `onconnect = ({ ports: [port] }) => Promise.allSettled([
        fetch("${third}/from-shared"), fetch("/redirect")]).then(() => port.postMessage(1))`,
      "/redirect": redirectTo(`${third}/redirected`),
    }));
    await render(sites, DONE);
    expect(findLeaks(sites.third, "/from-shared", "/redirected")).toEqual([]);
  });

  it("are not sent on behalf of a frame from another site", async () => {
    const sites = await openSites(({ thirdOrigin }) => ({
      "/": `<script>onmessage = () => { ${markWhen()} }</script><iframe src="${thirdOrigin}/frame"></iframe>`,
    }));
    await render(sites, DONE);
    expect(findIncomplete(sites, "/")).toEqual([]);
    expect(findLeaks(sites.third, "/frame", "/own-fetch-of-frame")).toEqual([]);
    const frameRequests = sites.own.received.filter(({ what }) => what.includes("of-frame"));
    expect(frameRequests).toHaveLength(5);
    expect(frameRequests.filter(hasSecret)).toEqual([]);
  });

  it("are not sent on behalf of the site that a redirect leads to", async () => {
    const sites = await openSites(({ thirdOrigin }) => ({ "/": redirectTo(`${thirdOrigin}/frame`) }));
    await render(sites, DONE);
    expect(findIncomplete(sites, "/")).toEqual([]);
    const pageRequests = sites.own.received.filter(({ what }) => what.includes("of-frame"));
    expect(pageRequests).toHaveLength(5);
    expect(pageRequests.filter(hasSecret)).toEqual([]);
  });

  it("do not reach another host on the same site", async () => {
    const sites = await openSites(({ ownOrigin }) => ({
      "/": `<img src="${ownOrigin.replace("own.", "sub.own.")}/subdomain">
        <script>${markWhen(`fetch("${ownOrigin.replace("own.", "sub.own.")}/fetched", { credentials: "include" })`)}</script>`,
    }));
    await render(sites, { ...DONE });
    for (const path of ["/subdomain", "/fetched"])
      for (const { "x-secret": header, authorization, cookie } of sites.own.headersOf(path))
        expect([header, authorization, cookie]).toEqual([undefined, undefined, undefined]);
  });
});

describe("headers and basicAuth", () => {
  it("do not reach another port on the host", async () => {
    const other = await openEchoSite(() => ({}));
    const sites = await openSites(() => ({ "/": redirectTo(`http://own.example:${other.port}/landed`) }));
    await render(sites, { cookies: undefined });
    expect(findLeaks(other, "/landed")).toEqual([]);
  });

  it("replace the fields that the browser would send", async () => {
    const sites = await openSites(() => ({ "/": "fine" }));
    await render(sites, { headers: { "accept-language": "de-CH", "User-Agent": "preview" } });
    expect(sites.own.headersOf("/")[0]).toMatchObject({
      "accept-language": "de-CH",
      "user-agent": "preview",
    });
  });

  it.each([
    ["wrong", { basicAuth: "ada:wrong" }],
    ["missing", { basicAuth: undefined }],
  ])("do not prevent the capture of a 401 page if the password is %s", async (_what, options) => {
    const sites = await openSites(() => ({
      "/": (response) => response.writeHead(401, { "www-authenticate": 'Basic realm="own"' }).end("sign in"),
    }));
    const { targetStatus } = await render(sites, options);
    expect(targetStatus).toBe(401);
  });

  it("send the password in UTF-8", async () => {
    const sites = await openSites(() => ({ "/": "fine" }));
    await render(sites, { basicAuth: "zoë:pässword" });
    expect(sites.own.headersOf("/")[0]?.authorization).toBe("Basic em/Dqzpww6Rzc3dvcmQ=");
  });
});

describe("cookies", () => {
  it("have the attributes that were sent", async () => {
    const sites = await openSites(() => ({
      "/": `<script>document.title = document.cookie; fetch("/seen?" + encodeURIComponent(document.cookie));
        fetch(location.origin.replace("own.", "sub.own.") + "/of-domain", { credentials: "include" });</script>`,
    }));
    const cookies = [
      { name: "hidden", value: "1", httpOnly: true },
      { name: "shown", value: "2" },
      { name: "deep", value: "3", path: "/deep" },
      { name: "tls", value: "4", secure: true },
      { name: "wide", value: "5", domain: "own.example" },
    ];
    await render(sites, { cookies, waitUntil: "networkidle0" });
    expect(sites.own.headersOf("/")[0]?.cookie?.split("; ").toSorted()).toEqual([
      "hidden=1",
      "shown=2",
      "wide=5",
    ]);
    expect(sites.own.received.map(({ what }) => what)).toContain("own.example /seen?shown%3D2%3B%20wide%3D5");
    expect(sites.own.headersOf("/of-domain")[0]?.cookie).toBe("wide=5");
  });

  it.each([
    ["for a public suffix", "http://own.co.uk/", { name: "refused", value: SECRET, domain: "co.uk" }],
    ["whose prefix requires TLS", "http://own.example/", { name: "__Host-refused", value: SECRET }],
    [
      "with SameSite=None that are not secure",
      "http://own.example/",
      { name: "refused", value: SECRET, sameSite: "None" },
    ],
  ] as const)("%s are rejected with an error that names them", async (_what, url, cookie) => {
    const accepted = { name: "accepted", value: SECRET };
    const error = await errorOf(renderer.render(screenshot(url, { cookies: [accepted, cookie] })));
    expect(error).toMatchObject({ code: "validation_failed", status: 422 });
    expect(error.errors).toEqual({
      cookies: [`must not contain a cookie that the browser rejects: ${cookie.name}`],
    });
    expect(inspect(error)).not.toContain(SECRET);
  });

  it("do not outlive the render", async () => {
    const sites = await openSites(() => ({ "/": "fine", "/again": "fine" }));
    await render(sites);
    await renderer.render(screenshot(`http://own.example:${sites.own.port}/again`));
    expect(findLeaks({ ...sites.own, received: sites.own.received.slice(-1) }, "/again")).toEqual([]);
  });
});
