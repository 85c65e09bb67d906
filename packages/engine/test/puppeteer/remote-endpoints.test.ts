import { makeCertificate } from "../../../testing/test/servers/certificate.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { listen } from "../../../testing/test/servers/listen.ts";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import type { SnapError } from "../../src/errors.ts";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { errorOf as errorFrom, openRenderer, screenshot } from "./setup.ts";

const SECRET = "hunter2";
const PAGE = screenshot("https://example.com/");

/** Opens an endpoint that calls `behave` with each connection; resolves with its port. */
const openEndpoint = (onConnection: (socket: Socket) => void): Promise<number> =>
  listen(createServer(onConnection));

function respondWith(text: string): (socket: Socket) => void {
  return (socket) => socket.once("data", () => socket.end(text.replaceAll("\n", "\r\n")));
}

interface Outcome {
  readonly error: SnapError;
  readonly reason: string | null;
  readonly everything: string;
}

/** Returns the error and reason for an endpoint that fails, and everything that callers and operators see. */
async function errorOf(port: number, scheme = "ws"): Promise<Outcome> {
  const events: RendererEvent[] = [];
  const renderer = openRenderer([], {
    browserUrls: [`${scheme}://user:${SECRET}@127.0.0.1:${port}/${SECRET}?token=${SECRET}`],
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => renderer.close());
  const health = await renderer.health();
  expect(health.ready).toBe(false);
  const error = await renderer.render(PAGE).then(
    () => expect.fail("the render succeeded"),
    (failure: unknown) => failure as SnapError,
  );
  const everything = inspect({ error, health, events }, { depth: 20 });
  return { error, reason: health.reason, everything };
}

const QUOTA = '{"error":"the monthly quota is used up"}';

describe("an endpoint that rejects connections", () => {
  it.each([
    ["429", "429 Too Many Requests\nRetry-After: 7", "", "upstream_rate_limited", 503],
    ["503", "503 Service Unavailable", "", "upstream_rate_limited", 503],
    ["402", "402 Payment Required", "", "upstream_quota_exceeded", 502],
    ["403 with a quota", "403 Forbidden", QUOTA, "upstream_quota_exceeded", 502],
    ["429 with a quota", "429 Too Many Requests", QUOTA, "upstream_quota_exceeded", 502],
    ["403", "403 Forbidden", `no ${SECRET}`, "upstream_error", 502],
    ["401", "401 Unauthorized", `not ${SECRET}`, "upstream_error", 502],
    ["500", "500 Internal Server Error", "", "upstream_error", 502],
    ["a redirect", `302 Found\nLocation: ws://127.0.0.1:1/?${SECRET}`, "", "upstream_error", 502],
    ["an upgrade", "101 Switching Protocols\nConnection: Upgrade\nUpgrade: x", "", "upstream_error", 502],
    ["a web page", "200 OK", "<h1>welcome</h1>", "upstream_error", 502],
  ])("with $0 causes $3", async (_name, head, body, code, status) => {
    const port = await openEndpoint(
      respondWith(`HTTP/1.1 ${head}\nContent-Length: ${body.length}\n\n${body}`),
    );
    for (const scheme of ["ws", "http"]) {
      const { error, reason, everything } = await errorOf(port, scheme);
      expect(error).toMatchObject({ code, status });
      expect(reason).toContain(`${scheme}://127.0.0.1:${port}`);
      expect(everything).not.toContain(SECRET);
    }
  });

  it("passes its own Retry-After on to the error", async () => {
    const port = await openEndpoint(
      respondWith("HTTP/1.1 429 Too Many Requests\nRetry-After: 300\nContent-Length: 0\n\n"),
    );
    const { error } = await errorOf(port);
    expect(error.retryAfterSeconds).toBeGreaterThan(200);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(300);
  });

  it.each([
    ["429 Too Many Requests", 2],
    ["402 Payment Required", 3600],
    ["401 Unauthorized", 5],
  ])("causes an error with the default retryAfterSeconds for %s", async (head, seconds) => {
    const port = await openEndpoint(respondWith(`HTTP/1.1 ${head}\nContent-Length: 0\n\n`));
    expect((await errorOf(port)).error.retryAfterSeconds).toBe(seconds);
  });
});

describe("an endpoint that rejects connections with a slow body", () => {
  it.each(["ws", "http"])("is reported according to its status: %s", async (scheme) => {
    const port = await openEndpoint((socket) => {
      socket.write("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 300\r\nContent-Length: 1000\r\n\r\n");
      const dripping = setInterval(() => socket.write("x"), 100);
      socket.once("close", () => clearInterval(dripping));
    });
    const { error } = await errorOf(port, scheme);
    expect(error).toMatchObject({ code: "upstream_rate_limited", status: 503 });
    expect(error.retryAfterSeconds).toBeGreaterThan(200);
  });
});

describe("an endpoint", () => {
  it.each<[string, (socket: Socket) => void]>([
    ["hangs", () => {}],
    ["closes immediately", (socket) => socket.destroy()],
    ["closes during its response", respondWith("HTTP/1.1 101 Switching Proto")],
    ["sends invalid HTTP", respondWith("hello, this is no HTTP\n\n")],
    [
      "sends an endless body",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const more = (): void => void (socket.destroyed || socket.write("x".repeat(65_536), more));
        more();
      },
    ],
  ])("causes upstream_error if it %s", { timeout: 90_000 }, async (_name, behave) => {
    const port = await openEndpoint(behave);
    const outcomes = await Promise.all(["ws", "http"].map((scheme) => errorOf(port, scheme)));
    for (const { error, everything } of outcomes) {
      expect(error).toMatchObject({ code: "upstream_error", status: 502, retryAfterSeconds: 5 });
      expect(everything).not.toContain(SECRET);
    }
  });

  it("does not block close() if its response never ends", async () => {
    const version = JSON.stringify({ webSocketDebuggerUrl: "ws://127.0.0.1/devtools" });
    const received = Promise.withResolvers<void>();
    const onReceived = (): void => received.resolve();
    subscribe("http.client.response.finish", onReceived); // its headers have arrived
    onTestFinished(() => void unsubscribe("http.client.response.finish", onReceived));
    const requests: string[] = [];
    const port = await openEndpoint((socket) =>
      socket.on("data", (data) => {
        requests.push(data.toString().split(" ")[1] ?? "");
        // a request for the WebSocket would get no response
        if (requests.length === 1) socket.write(`HTTP/1.1 200 OK\r\n\r\n${version}`);
      }),
    );
    const renderer = openRenderer([], { browserUrls: [`http://127.0.0.1:${port}/`] });
    const rendering = errorFrom(renderer.render(PAGE));
    await received.promise;
    await setImmediate();
    await renderer.close();
    expect(await rendering).toMatchObject({ code: "upstream_error" });
    expect(requests).toEqual(["/json/version"]);
  });

  it("causes upstream_error if it refuses the connection", async () => {
    const { error, reason, everything } = await errorOf(await findFreePort());
    expect(error.code).toBe("upstream_error");
    expect(reason).toContain("ECONNREFUSED");
    expect(everything).not.toContain(SECRET);
  });

  it("causes upstream_error, and receives no request, if its certificate is untrusted", async () => {
    const validUntil = new Date(Date.now() + 86_400_000);
    const names = [{ kind: "address", bytes: [127, 0, 0, 1] }] as const;
    const requested: string[] = [];
    const server = createTlsServer(makeCertificate({ names, validUntil }), (request, response) => {
      requested.push(request.url ?? "");
      response.end();
    });
    const port = await listen(server);
    // Node's switch to disable certificate checks has no effect
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const failures = await Promise.all(["wss", "https"].map((scheme) => errorOf(port, scheme)));
    for (const { error, everything } of failures) {
      expect(error.code).toBe("upstream_error");
      expect(everything).not.toContain(SECRET);
    }
    expect(requested).toEqual([]);
  });

  it("causes upstream_error if it does not use TLS at a wss URL", async () => {
    const port = await openEndpoint(respondWith("HTTP/1.1 400 Bad Request\n\n"));
    expect((await errorOf(port, "wss")).error.code).toBe("upstream_error");
  });

  it.each([
    ["text that is not JSON", "rubbish"],
    ["JSON that is not a message", "null"],
    ["a response without a command", '{"id":99999,"result":{}}'],
  ])("causes upstream_error if it opens a WebSocket and sends %s", async (_name, text) => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    server.on("connection", (socket) => socket.on("message", () => socket.send(text)));
    await once(server, "listening");
    const { error, everything } = await errorOf((server.address() as AddressInfo).port);
    expect(error.code).toBe("upstream_error");
    expect(everything).not.toContain(SECRET);
  });
});

describe("several endpoints that reject connections", () => {
  it("cause the error of the one that is likely to recover first", async () => {
    const quota = await openEndpoint(respondWith("HTTP/1.1 402 Payment Required\nContent-Length: 0\n\n"));
    const denied = await openEndpoint(respondWith("HTTP/1.1 401 Unauthorized\nContent-Length: 0\n\n"));
    const busy = await openEndpoint(respondWith("HTTP/1.1 429 Too Many Requests\nContent-Length: 0\n\n"));
    const codeOf = async (...ports: number[]): Promise<string> => {
      const renderer = openRenderer([], { browserUrls: ports.map((port) => `ws://127.0.0.1:${port}/`) });
      onTestFinished(() => renderer.close());
      return renderer.render(PAGE).then(
        () => "rendered",
        (error: SnapError) => error.code,
      );
    };
    expect(await codeOf(quota, denied, busy)).toBe("upstream_rate_limited");
    expect(await codeOf(quota, denied)).toBe("upstream_error");
    expect(await codeOf(quota)).toBe("upstream_quota_exceeded");
  });
});
