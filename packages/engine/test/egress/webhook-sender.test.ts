import { createFakeClock, createFakeResolver } from "@snap/testing";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { resolveTarget } from "../../src/egress/resolve.ts";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { PUBLIC_TARGETS_ONLY } from "../../src/targets/policy.ts";
import { serveHttp, serveTcp } from "./egress-proxy.ts";
import { failed, openSender, responded, send, serveThenHang, serveText } from "./webhook-sender.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");

describe("a request", () => {
  it("is one POST with the caller's headers and body, byte for byte", async () => {
    const arrived = Promise.withResolvers<{ readonly request: IncomingMessage; readonly body: Buffer }>();
    const port = await serveHttp((request, response) => {
      void buffer(request).then((received) => arrived.resolve({ request, body: received }));
      request.once("end", () => response.end());
    });
    const body = Buffer.from(Array.from({ length: 100_000 }, (_byte, index) => index % 256));
    const outcome = await openSender().send({
      url: `http://receiver.example.com:${port}/a%20b/ü?c=d&e#f`,
      headers: { "Content-Type": "application/json", "X-Webhook-Id": "id" },
      body,
    });
    expect(outcome).toEqual(responded(200));
    const { request, body: received } = await arrived.promise;
    expect(request.method).toBe("POST");
    expect(request.url).toBe("/a%20b/%C3%BC?c=d&e");
    expect(received.equals(body)).toBe(true);
    expect(request.headers).toEqual({
      "user-agent": "snap-webhook",
      "content-type": "application/json",
      "x-webhook-id": "id",
      host: `receiver.example.com:${port}`,
      "content-length": "100000",
      connection: "close",
    });
  });
});

describe("a response", () => {
  it.each([200, 204, 299, 300, 404, 410, 500, 503])(
    "with status %i is returned unchanged",
    async (status) => {
      const port = await serveHttp((_request, response) => void response.writeHead(status).end());
      expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(responded(status));
    },
  );

  it.each([301, 302, 303, 307, 308])("with status %i is not followed", async (status) => {
    let visits = 0;
    const redirectTarget = await serveHttp((_request, response) => {
      visits += 1;
      response.end();
    });
    const port = await serveHttp((_request, response) => {
      response.writeHead(status, { Location: `http://127.0.0.1:${redirectTarget}/` }).end();
    });
    expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(responded(status));
    expect(visits).toBe(0);
  });

  it("can follow interim responses", async () => {
    const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n";
    const port = await serveText(`${interim}HTTP/1.1 204 No Content\r\n\r\n`);
    expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(responded(204));
  });

  it.each<[string, Buffer, string]>([
    ["short", Buffer.from("thank you\n"), "thank you\n"],
    ["long", Buffer.from("é".repeat(30_000)), "é".repeat(1024)],
    ["cut inside a character", Buffer.from(`x${"é".repeat(1024)}`), `x${"é".repeat(1023)}`],
    ["not UTF-8", Buffer.from([0x6f, 0x6b, 0xff]), "ok\uFFFD"],
  ])("has the first 2 KiB of its body as text: %s", async (_case, sent, body) => {
    const port = await serveHttp((_request, response) => {
      response.write(sent.subarray(0, 5));
      response.end(sent.subarray(5));
    });
    expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(responded(200, { body }));
  });

  it("can come from an IPv6 address", async () => {
    const port = await serveHttp((_request, response) => void response.end(), "::1");
    expect(await send(openSender(), `http://[::1]:${port}/`)).toEqual(responded(200));
  });

  it.each([
    ["120", 120_000],
    ["0", 0],
    ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
    ["Sunday, 01-Mar-26 12:00:30 GMT", 30_000],
    ["Sun Mar  1 12:00:30 2026", 30_000],
    ["Sun, 01 Mar 2026 11:59:59 GMT", 0],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["2026-03-01T12:00:30Z", null],
    ["Sun, 99 Mar 2026 12:00:30 GMT", null],
    ["", null],
  ])("has its Retry-After parsed, or ignored if it is invalid: %j", async (retryAfter, retryAfterMs) => {
    const port = await serveHttp((_request, response) => {
      response.writeHead(503, { "Retry-After": retryAfter }).end();
    });
    const sender = openSender({ clock: createFakeClock(NOON) });
    expect(await send(sender, `http://127.0.0.1:${port}/`)).toEqual(responded(503, { retryAfterMs }));
  });
});

describe("the target", () => {
  /** Starts a receiver that must not be reached; returns its port and a count of its visits. */
  async function listen(): Promise<{ readonly port: number; readonly visits: () => number }> {
    let visits = 0;
    const port = await serveTcp((socket) => {
      visits += 1;
      socket.destroy();
    });
    return { port, visits: () => visits };
  }

  it.each(["127.0.0.1", "localhost", "receiver.example.com", "[::ffff:7f00:1]", "2130706433"])(
    "is blocked if private: %s",
    async (host) => {
      const { port, visits } = await listen();
      const sender = openSender({ policy: PUBLIC_TARGETS_ONLY });
      expect(await send(sender, `http://${host}:${port}/`)).toEqual(failed("blocked"));
      expect(visits()).toBe(0);
    },
  );

  it("is blocked if its name has resolved to a private address since the last check", async () => {
    const { port, visits } = await listen();
    const resolutions = [["8.8.8.8"], ["127.0.0.1"]];
    const resolver = createFakeResolver({ "receiver.example.com": () => resolutions.shift() ?? [] });
    const url = `http://receiver.example.com:${port}/`;
    const policy = PUBLIC_TARGETS_ONLY;
    expect(await resolveTarget({ url, policy, resolver })).toBeNull();
    expect(await send(openSender({ policy, resolver }), url)).toEqual(failed("blocked"));
    expect(visits()).toBe(0);
  });

  it("is resolved once", async () => {
    let lookups = 0;
    const hosts = {
      "receiver.example.com": () => {
        lookups += 1;
        return lookups === 1 ? ["127.0.0.1"] : ["8.8.8.8"];
      },
    };
    const port = await serveHttp((_request, response) => void response.end());
    const sender = openSender({ resolver: createFakeResolver(hosts) });
    expect(await send(sender, `http://receiver.example.com:${port}/`)).toEqual(responded(200));
    expect(lookups).toBe(1);
  });

  it.each([
    ["an unsupported scheme", "ftp://127.0.0.1/"],
    ["not a URL", "receiver"],
    ["a port of another service", "http://127.0.0.1:25/"],
    ["a user name", "http://user@127.0.0.1/"],
    ["a password", "https://:secret@127.0.0.1/"],
  ])("is blocked: %s", async (_case, url) => {
    expect(await send(openSender(), url)).toEqual(failed("blocked"));
  });

  it("is unresolved if its name has no address", async () => {
    expect(await send(openSender(), "http://nowhere.example.com/")).toEqual(failed("unresolved"));
  });

  it("is unreachable if nothing listens on the port", async () => {
    expect(await send(openSender(), `http://127.0.0.1:${await findFreePort()}/`)).toEqual(
      failed("unreachable"),
    );
  });
});

it("aborts the attempt whose signal aborts, and no other", async () => {
  const [first, second] = [await serveThenHang(), await serveThenHang()];
  const sender = openSender();
  const controller = new AbortController();
  const request = { url: `http://127.0.0.1:${first.port}/`, headers: {}, body: Buffer.of() };
  const aborted = sender.send({ ...request, signal: controller.signal });
  const outcomes: WebhookOutcome[] = [];
  const other = send(sender, `http://127.0.0.1:${second.port}/`).then((outcome) => outcomes.push(outcome));
  await Promise.all([first.reached, second.reached]);
  controller.abort();
  expect(await aborted).toEqual(failed("broken"));
  await first.disconnected;
  expect(await sender.send({ ...request, signal: controller.signal })).toEqual(failed("broken"));
  const port = await serveText("HTTP/1.1 204 No Content\r\n\r\n");
  expect(await send(sender, `http://127.0.0.1:${port}/`)).toEqual(responded(204));
  expect(outcomes).toEqual([]);
  await sender.close();
  await other;
  expect(outcomes).toEqual([failed("broken")]);
});

describe("close", () => {
  it("fails current and later attempts", async () => {
    const receiver = await serveThenHang();
    const sender = openSender();
    const outcomes = [1, 2].map(() => send(sender, `http://127.0.0.1:${receiver.port}/`));
    await receiver.reached;
    await sender.close();
    expect(await Promise.all(outcomes)).toEqual([failed("broken"), failed("broken")]);
    await receiver.disconnected;

    let visits = 0;
    const port = await serveHttp(() => (visits += 1));
    expect(await send(sender, `http://127.0.0.1:${port}/`)).toEqual(failed("broken"));
    expect(visits).toBe(0);
  });
});

it("closes the connection if a header of the webhook is invalid", async () => {
  const left = Promise.withResolvers<void>();
  const port = await serveTcp((socket) => {
    socket.once("close", () => left.resolve());
    socket.once("end", () => socket.end()).resume();
  });
  const request = { url: `http://127.0.0.1:${port}/`, headers: { "X-Bad": "a\nb" }, body: Buffer.of() };
  await expect(openSender().send(request)).rejects.toThrow(TypeError);
  await left.promise;
});
