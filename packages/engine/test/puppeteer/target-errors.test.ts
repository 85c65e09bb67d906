// @module-tag browser

import { randomBytes } from "node:crypto";
import { globSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { openPort, type OpenPort } from "../../../testing/test/servers/open-port.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { defaultScreenshot, errorOf, failureOf, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, redirect, type Site } from "./site.ts";

let site: Site;
let hidden: Site;
let resettingServer: OpenPort;
let closingServer: OpenPort;
let invalidServer: OpenPort;
let refusedPort: number;
let renderer: Renderer;
/** Called when the start of `/reset` has been parsed. */
let onReceived = (): void => {};
const noise = `<h1>half</h1>${randomBytes(10_000).toString("base64")}`;
const PNG_START = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", "base64");
const INCOMPLETE_RESPONSE = "incomplete response";

beforeAll(async () => {
  hidden = await openSite({ "/": "a secret" });
  resettingServer = await openPort(
    createServer((socket) => socket.once("data", () => socket.resetAndDestroy())),
  );
  closingServer = await openPort(createServer((socket) => socket.once("data", () => socket.end())));
  invalidServer = await openPort(
    createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"))),
  );
  refusedPort = await findFreePort();
  const secret = hidden.url("/");
  site = await openSite({
    "/": "fine",
    "/download": (_request, response) =>
      response.writeHead(200, { "content-disposition": "attachment; filename=snap-download.txt" }).end("x"),
    "/binary": (_request, response) =>
      response.writeHead(200, { "content-type": "application/octet-stream" }).end("x"),
    "/pdf": (_request, response) =>
      response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4"),
    "/204": (_request, response) => response.writeHead(204).end(),
    "/circle": redirect("/circle"),
    "/to-refused": redirect(`http://127.0.0.1:${refusedPort}/`),
    "/script-to-refused": `<script>location = "http://127.0.0.1:${refusedPort}/"</script>`,
    "/reset": (_request, response) => {
      onReceived = () => response.socket?.resetAndDestroy();
      response
        .writeHead(200, { "content-type": "text/html" })
        .write("<h1>half</h1><script src=/received></script>");
    },
    "/received": () => onReceived(),
    "/short": cutOff({ "content-length": "5000" }, "<h1>half</h1>"),
    "/without-last-chunk": cutOff({}, "<img name=readyState><h1>half</h1>"),
    "/half-gzip": cutOff(
      { "content-encoding": "gzip", "content-length": "5000" },
      gzipSync(noise).subarray(0, 4_000),
    ),
    "/not-gzip": encodedAs("gzip"),
    "/not-brotli": encodedAs("br"),
    "/not-zstd": encodedAs("zstd"),
    "/half-image": cutOff({ "content-type": "image/png", "content-length": "5000" }, PNG_START),
    "/to-short": `<h1>fine</h1><script>setTimeout(() => { location = "/short" }, 100)</script>`,
    "/short-that-redirects": cutOff(
      { "content-length": "5000" },
      "<h1>half</h1><script>location = '/'</script>",
    ),
    "/large": sendEndlessly,
    "/loads-large": "<h1>small</h1><script>fetch('/large').then((response) => response.blob())</script>",
    "/again": (_request, response) =>
      response
        .writeHead(200, { "content-type": "text/html", connection: "close" })
        .end("<meta http-equiv=refresh content='0; url=/'>"),
    "/302": redirect(secret),
    "/302-chain": redirect("/302"),
    "/302-metadata": redirect("http://169.254.169.254/latest/meta-data/"),
    "/302-ipv6": redirect(`http://[::1]:${hidden.port}/`),
    "/302-port": redirect("http://127.0.0.1:22/"),
    "/script-port": "<script>location = 'http://127.0.0.1:22/'</script>",
    "/302-name": redirect("http://printer.internal/"),
    "/meta": `<meta http-equiv=refresh content="0; url=${secret}">`,
    "/meta-1-s": `<meta http-equiv=refresh content="1; url=${secret}">`,
    "/refresh": (_request, response) =>
      response.writeHead(200, { refresh: `0; url=${secret}`, "content-type": "text/html" }).end("soon"),
    "/script": `<script>location = "${secret}"</script>`,
    "/script-on-load": `<script>addEventListener("load", () => { location.href = "${secret}" })</script>`,
    "/script-later": `<script>setTimeout(() => { location = "${secret}" }, 200)</script>`,
    "/form": `<form method=post action="${secret}"></form><script>document.forms[0].submit()</script>`,
  });
});

afterAll(() =>
  Promise.all([site, hidden, resettingServer, closingServer, invalidServer].map((server) => server.close())),
);

describe.each([
  ["a ready tab", 4],
  ["a tab opened at the URL", 0],
])("in %s,", (_kind, warmContexts) => {
  beforeAll(() => {
    const ports = [site.port, refusedPort, resettingServer.port, closingServer.port, invalidServer.port];
    renderer = openRenderer(ports, { warmContexts });
  });

  afterAll(() => renderer.close());

  describe("target_unreachable", () => {
    it.each([
      ["a download", () => site.url("/download"), "does not return a web page"],
      ["a file that is not a page", () => site.url("/binary"), "does not return a web page"],
      ["a PDF", () => site.url("/pdf"), "does not return a web page"],
      ["a 204 response", () => site.url("/204"), "does not return a web page"],
      ["a redirect loop", () => site.url("/circle"), "redirects in a loop"],
      ["an unknown host", () => "http://nowhere.example/", "could not be resolved"],
      ["a refused connection", () => `http://127.0.0.1:${refusedPort}/`, "Could not connect"],
      ["a redirect to a refused connection", () => site.url("/to-refused"), "Could not connect"],
      [
        "a script that navigates to a refused connection",
        () => site.url("/script-to-refused"),
        "Could not connect",
      ],
      ["a reset connection", () => `http://127.0.0.1:${resettingServer.port}/`, "connection"],
      [
        "a connection closed without a response",
        () => `http://127.0.0.1:${closingServer.port}/`,
        "closed the connection",
      ],
      [
        "a response that is not valid HTTP",
        () => `http://127.0.0.1:${invalidServer.port}/`,
        "The page's host sent an invalid HTTP response.",
      ],
      ["a connection reset during the response", () => site.url("/reset"), INCOMPLETE_RESPONSE],
      ["a response shorter than its Content-Length", () => site.url("/short"), INCOMPLETE_RESPONSE],
      ["a response without its last chunk", () => site.url("/without-last-chunk"), INCOMPLETE_RESPONSE],
      ["half a compressed response", () => site.url("/half-gzip"), INCOMPLETE_RESPONSE],
      ["a response that is not gzip", () => site.url("/not-gzip"), INCOMPLETE_RESPONSE],
      ["a response that is not Brotli", () => site.url("/not-brotli"), INCOMPLETE_RESPONSE],
      ["a response that is not Zstandard", () => site.url("/not-zstd"), INCOMPLETE_RESPONSE],
      ["half an image", () => site.url("/half-image"), INCOMPLETE_RESPONSE],
      ["a page that leads to half a page", () => site.url("/to-short"), INCOMPLETE_RESPONSE],
      ["an https URL on a port without TLS", () => site.url("/").replace("http:", "https:"), "TLS"],
      ["a page of more than 50 MB", () => site.url("/large"), "transfers more than 50 MB"],
    ])("is thrown with a clear message for %s", async (_name, url, message) => {
      const failure = await errorOf(renderer.render(defaultScreenshot(url())));
      expect(failure.code).toBe("target_unreachable");
      expect(failure.message).toContain(message);
      // the cause, for the log, without a path or a query, which could contain a secret
      expect(failure.detail).toMatch(/^[^/]+( at https?:\/\/[^/]+)?$/);
    });

    it.each(["load", "domcontentloaded"] as const)(
      "is thrown for an incomplete response with waitUntil=%s",
      async (waitUntil) => {
        const failure = await failureOf(renderer.render(screenshot(site.url("/short"), { waitUntil })));
        expect(failure.code).toBe("target_unreachable");
      },
    );

    it("is thrown for an incomplete response when printing", async () => {
      expect((await failureOf(renderer.render(pdf(site.url("/not-gzip"))))).code).toBe("target_unreachable");
    });

    it("is not thrown for an incomplete response that redirects", async () => {
      const { page } = await renderer.render(defaultScreenshot(site.url("/short-that-redirects")));
      expect(page?.finalUrl).toBe(site.url("/"));
    });

    it("has the cause as its detail", async () => {
      const host = `127.0.0.1:${refusedPort}`;
      const refused = await errorOf(renderer.render(defaultScreenshot(`http://${host}/?key=topsecret`)));
      expect(refused.detail).toBe(`connect ECONNREFUSED ${host} at http://${host}`);
    });

    it.each(["/204", "/download"])("is thrown after a single request for %s", async (path) => {
      const countRequests = (): number => site.requests.filter((request) => request === `GET ${path}`).length;
      const before = countRequests();
      await failureOf(renderer.render(defaultScreenshot(site.url(path))));
      expect(countRequests()).toBe(before + 1);
    });

    it("is thrown for a subresource of more than 50 MB", async () => {
      const waiting = screenshot(site.url("/loads-large"), { waitUntil: "networkidle0" });
      const failure = await failureOf(renderer.render(waiting));
      expect(failure).toMatchObject({
        code: "target_unreachable",
        message: "The page transfers more than 50 MB.",
      });
    });

    it("leaves no downloaded file on the disk", async () => {
      await failureOf(renderer.render(pdf(site.url("/download"))));
      // unlike readdirSync, globSync skips folders that running browsers delete meanwhile
      const profiles = globSync("snap-browser-*", { cwd: tmpdir() });
      expect(profiles.length).toBeGreaterThan(0);
      expect(globSync("snap-browser-*/**/*snap-download*", { cwd: tmpdir() })).toEqual([]);
    });
  });

  describe("blocked_host", () => {
    it.each([
      "/302",
      "/302-chain",
      "/302-metadata",
      "/302-ipv6",
      "/302-name",
      "/302-port",
      "/script-port",
      "/meta",
      "/meta-1-s",
      "/refresh",
      "/script",
      "/script-on-load",
      "/script-later",
      "/form",
    ])("is thrown for %s", async (path) => {
      const failure = await failureOf(renderer.render(defaultScreenshot(site.url(path))));
      expect(failure).toMatchObject({
        code: "blocked_host",
        message: "The URL leads to a host or port that the service blocks, such as a private address.",
      });
      expect(hidden.requests).toEqual([]);
    });

    it.each(["/302", "/meta", "/refresh", "/script", "/script-on-load"])(
      "is thrown for %s with waitUntil=load and when printing",
      async (path) => {
        expect((await failureOf(renderer.render(screenshot(site.url(path))))).code).toBe("blocked_host");
        expect((await failureOf(renderer.render(pdf(site.url(path))))).code).toBe("blocked_host");
      },
    );

    it("is not thrown if a host name resolves to a private address only after the page's single lookup", async () => {
      const addresses = ["127.0.0.1"];
      const rebinding = openRenderer([site.port], {
        warmContexts,
        resolver: { resolve: async () => [addresses.shift() ?? "127.0.0.2"] },
      });
      const { targetStatus } = await rebinding.render(screenshot(site.url("/again", "rebinding.example")));
      expect(targetStatus).toBe(200);
      const next = await failureOf(rebinding.render(screenshot(site.url("/", "rebinding.example"))));
      expect(next.code).toBe("blocked_host");
      await rebinding.close();
    });
  });
});

/** Returns a handler that closes the connection before the body is complete. */
function cutOff(headers: Record<string, string>, body: string | Buffer) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/html", ...headers });
    response.write(body, () => response.socket?.end());
  };
}

/** Returns a handler that declares an encoding, but sends plain text. */
function encodedAs(encoding: string) {
  return (_request: IncomingMessage, response: ServerResponse): void =>
    void response
      .writeHead(200, { "content-type": "text/html", "content-encoding": encoding })
      .end("<h1>plain text</h1>");
}

/** Sends an endless body. */
function sendEndlessly(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/html" });
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  const send = (): void => {
    while (!response.destroyed && response.write(mebibyte));
  };
  response.on("drain", send);
  send();
}
