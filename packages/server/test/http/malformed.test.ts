import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Server } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { floodUntilClosed } from "./flood.ts";
import { envelopeOf, openService, UUID } from "./open-service.ts";

/** Parses the last response: status, headers by lowercase name, and envelope. */
function parse(text: string): {
  status: number;
  headers: Record<string, string>;
  envelope: Record<string, unknown>;
} {
  const start = text.search(/HTTP\/1\.1 \d{3} [^\r]*\r\n(?!.*HTTP\/1\.1 \d{3})/s);
  const [head = "", body = ""] = text.slice(start).split("\r\n\r\n", 2);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    envelope: JSON.parse(body) as Record<string, unknown>,
  };
}

describe("a malformed HTTP request", () => {
  it.each<[string, string, number, string]>([
    ["noise", "hello\r\n\r\n", 400, "bad_request"],
    ["an unknown method", "BREW /v1/snap HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"],
    ["a lowercase method", "get /v1/snap HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"],
    ["an unknown version", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400, "bad_request"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"],
    ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "bad_request"],
    ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"],
    [
      "two Hosts",
      "GET / HTTP/1.1\r\nHost: localhost\r\nHost: y\r\nConnection: close\r\n\r\n",
      400,
      "bad_request",
    ],
    [
      "the same Host twice",
      "GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n",
      400,
      "bad_request",
    ],
    ["a header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400, "bad_request"],
    ["a raw byte in the target", "GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"],
    [
      "two lengths",
      "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
      400,
      "bad_request",
    ],
    [
      "a length and a transfer coding",
      "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "bad_request",
    ],
    [
      "bad chunking",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
      "bad_request",
    ],
    [
      "headers of more than 64 KiB",
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(70_000)}\r\n\r\n`,
      431,
      "request_header_fields_too_large",
    ],
    [
      "a target of more than 64 KiB",
      `GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      "request_header_fields_too_large",
    ],
    [
      "chunk extensions without end",
      `GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${"a".repeat(20_000)}\r\n`,
      413,
      "payload_too_large",
    ],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"],
  ])("gets the error envelope: %s", async (_name, bytes, status, code) => {
    const { sendRaw } = await openService();
    const response = parse(await sendRaw(Buffer.from(bytes, "latin1")));
    expect(response.status).toBe(status);
    expect(response.envelope).toEqual({
      code,
      message: expect.any(String),
      request_id: response.headers["x-request-id"],
    });
    expect(response.headers).toMatchObject({
      "x-request-id": expect.stringMatching(UUID),
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      connection: "close",
    });
  });

  it.each([
    ["noise", "noise\r\n\r\n", 400, "bad_request"],
    ["CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"],
    ["an unknown method", "GETS / HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"],
    [
      "bad chunking",
      "POST /v1/renders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
      "bad_request",
    ],
  ])("does not affect a valid request before it: %s", async (_name, bytes, status, code) => {
    const { sendRaw, customer, renderer } = await openService();
    const { token } = await customer();
    const release = renderer.hold();
    const received = sendRaw(
      `GET /v1/snap?url=https://example.com/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n${bytes.replace("TOKEN", token)}`,
    );
    await renderer.whenCalled(1);
    release();
    const text = await received;
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(parse(text)).toMatchObject({ status, envelope: { code } });
  });

  it("does not affect other connections", async () => {
    const { sendRaw, send } = await openService();
    const replies = await Promise.all([sendRaw("noise\r\n\r\n"), send("/healthz"), sendRaw("\r\nx\r\n\r\n")]);
    expect(replies[1].status).toBe(200);
  });

  it("does not harm the service if the client disconnects in the middle", async () => {
    const { service, send } = await openService();
    const { hostname, port } = new URL(service.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => socket.write("GET /v1/snap HTTP/1.1\r\nHo", () => resolve()));
    socket.resetAndDestroy();
    expect((await send("/healthz")).status).toBe(200);
  });

  it("does not harm the service if the client resets the connection after CONNECT", async () => {
    const { service, send } = await openService();
    const { hostname, port } = new URL(service.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write("CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    const [received] = (await once(socket, "data")) as [Buffer];
    expect(received.toString()).toMatch(/^HTTP\/1\.1 405 /);
    socket.resetAndDestroy();
    expect((await send("/healthz")).status).toBe(200);
  });
});

it("a connection that cannot be accepted is logged, and does not harm the service", async () => {
  const { send, lines } = await openService();
  const { promise: server, resolve } = Promise.withResolvers<Server>();
  const onStart = (message: unknown): void => resolve((message as { server: Server }).server);
  subscribe("http.server.request.start", onStart);
  await send("/healthz");
  unsubscribe("http.server.request.start", onStart);
  (await server).emit("error", new Error("accept EMFILE"));
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "error",
      msg: "could not accept a connection",
      err: expect.objectContaining({ message: "accept EMFILE" }) as unknown,
    }),
  );
  expect((await send("/healthz")).status).toBe(200);
});

describe("unusual requests", () => {
  const close = "Host: x\r\nConnection: close\r\n";

  it.each([
    ["HTTP/1.0 without Host", "GET /healthz HTTP/1.0\r\n\r\n"],
    ["a target in absolute form", `GET http://other.example/healthz HTTP/1.1\r\n${close}\r\n`],
    ["an unknown expectation", `GET /healthz HTTP/1.1\r\n${close}Expect: the-unexpected\r\n\r\n`],
    ["an upgrade", `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n`],
    ["a small body", `GET /healthz HTTP/1.1\r\n${close}Content-Length: 5\r\n\r\nhello`],
    [
      "a chunked body",
      `GET /healthz HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
    ],
    ["a query with malformed encoding", `GET /healthz?%zz&%%% HTTP/1.1\r\n${close}\r\n`],
    ["an empty line before the request", `\r\nGET /healthz HTTP/1.1\r\n${close}\r\n`],
  ])("%s gets a normal response", async (_name, bytes) => {
    const { sendRaw } = await openService();
    expect(await sendRaw(bytes)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("100-continue gets 100, then the response", async () => {
    const { sendRaw } = await openService();
    const text = await sendRaw(
      `GET /healthz HTTP/1.1\r\n${close}Content-Length: 5\r\nExpect: 100-continue\r\n\r\nhello`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it("the connection is reusable after an unneeded body", async () => {
    const { sendRaw } = await openService();
    const text = await sendRaw(
      `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /nowhere HTTP/1.1\r\n${close}\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(parse(text)).toMatchObject({ status: 404, envelope: { code: "not_found" } });
  });

  it.each([
    ["just over the limit", 256 * 1024 + 1],
    ["as large as the server reads", 1024 * 1024],
  ])("a body %s is rejected with 413, and the connection closes", async (_name, bytes) => {
    const { send } = await openService();
    const headers = { "Content-Length": String(bytes) };
    const reply = await send("/v1/snap", { headers, body: Buffer.alloc(bytes) });
    expect(reply).toMatchObject({ status: 413, headers: { connection: "close" } });
    expect(envelopeOf(reply).code).toBe("payload_too_large");
  });

  it("an endless body closes the connection", async () => {
    const { service, send } = await openService();
    await floodUntilClosed(service.origin, {
      head: "GET /v1/snap HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
      block: `10000\r\n${"a".repeat(65_536)}\r\n`,
    });
    expect((await send("/healthz")).status).toBe(200);
  });

  it("a body of 256 KiB is not too large", async () => {
    const { send } = await openService();
    const headers = { "Content-Length": String(256 * 1024) };
    expect((await send("/v1/snap", { headers, body: Buffer.alloc(256 * 1024) })).status).toBe(401);
  });
});
