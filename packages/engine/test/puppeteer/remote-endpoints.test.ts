import { makeCertificate } from "@snap/workshop/servers/certificate";
import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import type { SnapError } from "../../src/errors.ts";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { openRenderer, screenshot } from "./setup.ts";

const SECRET = "hunter2";
const PAGE = screenshot("https://example.com/");

/** An endpoint that does with each connection what `behave` says. */
async function openEndpoint(behave: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    behave(socket);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function answering(text: string): (socket: Socket) => void {
  return (socket) => socket.once("data", () => socket.end(text.replaceAll("\n", "\r\n")));
}

interface Outcome {
  readonly error: SnapError;
  readonly reason: string | null;
  readonly everything: string;
}

/** What a renderer makes of an endpoint; everything that anybody is told of it. */
async function refusalOf(port: number, scheme = "ws"): Promise<Outcome> {
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

describe("an endpoint that refuses", () => {
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
    ["a page in its place", "200 OK", "<h1>welcome</h1>", "upstream_error", 502],
  ])("with %s", async (_name, head, body, code, status) => {
    const port = await openEndpoint(answering(`HTTP/1.1 ${head}\nContent-Length: ${body.length}\n\n${body}`));
    for (const scheme of ["ws", "http"]) {
      const { error, reason, everything } = await refusalOf(port, scheme);
      expect(error).toMatchObject({ code, status });
      expect(reason).toContain(`${scheme}://127.0.0.1:${port}`);
      expect(everything).not.toContain(SECRET);
    }
  });

  it("says when to come again", async () => {
    const port = await openEndpoint(
      answering("HTTP/1.1 429 Too Many Requests\nRetry-After: 300\nContent-Length: 0\n\n"),
    );
    const { error } = await refusalOf(port);
    expect(error.retryAfterSeconds).toBeGreaterThan(200);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(300);
  });

  it.each([
    ["429 Too Many Requests", 2],
    ["402 Payment Required", 3600],
    ["401 Unauthorized", 5],
  ])("without a word of when: %s", async (head, seconds) => {
    const port = await openEndpoint(answering(`HTTP/1.1 ${head}\nContent-Length: 0\n\n`));
    expect((await refusalOf(port)).error.retryAfterSeconds).toBe(seconds);
  });
});

describe("an endpoint that refuses and does not end", () => {
  it.each(["ws", "http"])("is known by its status: %s", async (scheme) => {
    const port = await openEndpoint((socket) => {
      socket.write("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 300\r\nContent-Length: 1000\r\n\r\n");
      const dripping = setInterval(() => socket.write("x"), 100);
      socket.once("close", () => clearInterval(dripping));
    });
    const { error } = await refusalOf(port, scheme);
    expect(error).toMatchObject({ code: "upstream_rate_limited", status: 503 });
    expect(error.retryAfterSeconds).toBeGreaterThan(200);
  });
});

describe("an endpoint that fails", () => {
  it.each<[string, (socket: Socket) => void]>([
    ["hangs", () => {}],
    ["closes at once", (socket) => socket.destroy()],
    ["closes in the middle of its answer", answering("HTTP/1.1 101 Switching Proto")],
    ["answers rubbish", answering("hello, this is no HTTP\n\n")],
    [
      "answers without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const more = (): void => void (socket.destroyed || socket.write("x".repeat(65_536), more));
        more();
      },
    ],
  ])("%s", { timeout: 90_000 }, async (_name, behave) => {
    const port = await openEndpoint(behave);
    for (const scheme of ["ws", "http"]) {
      const { error, everything } = await refusalOf(port, scheme);
      expect(error).toMatchObject({ code: "upstream_error", status: 502, retryAfterSeconds: 5 });
      expect(everything).not.toContain(SECRET);
    }
  });

  it("is not there", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const { error, reason, everything } = await refusalOf(port);
    expect(error.code).toBe("upstream_error");
    expect(reason).toContain("ECONNREFUSED");
    expect(everything).not.toContain(SECRET);
  });

  it("speaks TLS that nobody vouches for, and is sent nothing", async () => {
    const validUntil = new Date(Date.now() + 86_400_000);
    const names = [{ kind: "address", bytes: [127, 0, 0, 1] }] as const;
    const asked: string[] = [];
    const server = createTlsServer(makeCertificate({ names, validUntil }), (request, response) => {
      asked.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // neither does the switch that turns the check off everywhere else
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const scheme of ["wss", "https"]) {
      const { error, everything } = await refusalOf(port, scheme);
      expect(error.code).toBe("upstream_error");
      expect(everything).not.toContain(SECRET);
    }
    expect(asked).toEqual([]);
  });

  it("speaks no TLS where some is asked for", async () => {
    const port = await openEndpoint(answering("HTTP/1.1 400 Bad Request\n\n"));
    expect((await refusalOf(port, "wss")).error.code).toBe("upstream_error");
  });

  it.each([
    ["text that is no JSON", "rubbish"],
    ["JSON that is no message", "null"],
    ["an answer to nothing", '{"id":99999,"result":{}}'],
  ])("opens a WebSocket and sends %s", async (_name, text) => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    server.on("connection", (socket) => socket.on("message", () => socket.send(text)));
    await once(server, "listening");
    const { error, everything } = await refusalOf((server.address() as AddressInfo).port);
    expect(error.code).toBe("upstream_error");
    expect(everything).not.toContain(SECRET);
  });
});

describe("several endpoints that refuse", () => {
  it("answer with what may be over the soonest", async () => {
    const quota = await openEndpoint(answering("HTTP/1.1 402 Payment Required\nContent-Length: 0\n\n"));
    const denied = await openEndpoint(answering("HTTP/1.1 401 Unauthorized\nContent-Length: 0\n\n"));
    const busy = await openEndpoint(answering("HTTP/1.1 429 Too Many Requests\nContent-Length: 0\n\n"));
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
