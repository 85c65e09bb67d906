import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { openService } from "./open-service.ts";

const url = "https://example.com/";
const REQUEST_START_CHANNEL = "http.server.request.start";

it("logs pipelined responses whose connection is reset, and does not wait for them when it stops", async () => {
  const { service, lines, whenLogged } = await openService();
  const { hostname, port } = new URL(service.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  socket.pause();
  // the first is too large for the buffers of the system, so the others wait
  const first = responseTo("/docs/swagger-ui-bundle.js");
  socket.write("GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20));
  await first;
  socket.resetAndDestroy();
  await whenLogged("request", 20);
  await service.stop();
  expect(lines.filter(({ msg }) => msg === "request")).toHaveLength(20);
});

it("limits how long a pipelined response may stay unread, but only while it is being sent", async () => {
  const { service, customer, renderer } = await openService({ unreadTimeoutMs: 20_000 });
  const { token } = await customer();
  const { hostname, port } = new URL(service.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const release = renderer.hold();
  const [before, render, after] = await Promise.all([
    responseTo("/healthz"),
    responseTo(`/v1/snap?url=${url}`),
    responseTo("/v1/usage"),
    once(socket, "connect").then(() =>
      socket.write(`GET /healthz ${head}GET /v1/snap?url=${url} ${head}GET /v1/usage ${head}`),
    ),
  ]);
  await renderer.whenCalled(1);
  await expect.poll(() => before.closed && after.headersSent).toBe(true);
  expect(render.socket?.timeout).toBe(0);
  const { promise: timeoutOfNext, resolve } = Promise.withResolvers<number | undefined>();
  after.once("socket", ({ timeout }: Socket) => resolve(timeout));
  release();
  expect(await timeoutOfNext).toBe(20_000);
  socket.destroy();
});

it("disconnects a client that does not read its response, without blocking others", async () => {
  const { service, customer, send, lines, whenLogged } = await openService({ unreadTimeoutMs: 50 });
  const { token } = await customer();
  const { hostname, port } = new URL(service.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  socket.pause();
  const path = `/v1/snap?url=${url}`;
  // Pipelined responses that exceed the buffers of the system.
  const request = `GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  socket.write(request.repeat(500));
  await whenLogged("request", 1);
  await expect.poll(() => lines.some(({ client_gone }) => client_gone === true)).toBe(true);
  expect((await send(path, { token })).status).toBe(200);
  socket.destroy();
});

/** Resolves with the response to the next request for a path, once the service begins to handle it. */
function responseTo(path: string): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const onStart = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url !== path) return;
    unsubscribe(REQUEST_START_CHANNEL, onStart);
    resolve(response);
  };
  subscribe(REQUEST_START_CHANNEL, onStart);
  return promise;
}
