import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { startService } from "../../src/http/service.ts";
import { createLogger } from "../../src/operations/logger.ts";
import { envelopeOf, openService } from "./open-service.ts";

const url = "https://example.com/";

it("stop: becomes unready immediately, rejects new requests, finishes running ones, then closes the listener", async () => {
  const { service, send, snap, customer, renderer } = await openService();
  const { token } = await customer();
  const release = renderer.hold();
  const running = snap({ url }, { token });
  await renderer.whenCalled(1);
  let stopped = false;
  const stopping = service.stop().then(() => (stopped = true));

  for (const path of ["/readyz", `/v1/snap?url=${url}`, "/v1/usage"]) {
    const reply = await send(path, { token });
    expect(reply.status).toBe(503);
    expect(envelopeOf(reply).code).toBe("not_ready");
    expect(reply.headers).toMatchObject({ "retry-after": "2", connection: "close" });
  }
  expect((await send("/healthz")).status).toBe(200);
  expect(stopped).toBe(false);

  release();
  const reply = await running;
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({ "x-cache": "MISS", connection: "close" });
  await stopping;
  await expect(send("/healthz")).rejects.toThrow("ECONNREFUSED");
  await service.stop();
});

it("accepts requests during drainDelayMs, although it is no longer ready", async () => {
  const { service, send, snap, customer, renderer } = await openService({ drainDelayMs: 2000 });
  const { token } = await customer();
  const stopping = service.stop();
  expect(envelopeOf(await send("/readyz")).code).toBe("not_ready");
  const release = renderer.hold();
  const late = snap({ url }, { token });
  await renderer.whenCalled(1);

  await expect.poll(async () => (await send("/v1/usage", { token })).status).toBe(503);
  release();
  expect((await late).status).toBe(200);
  await stopping;
  await expect(send("/healthz")).rejects.toThrow("ECONNREFUSED");
});

it("does not wait for idle keep-alive connections", async () => {
  const { service } = await openService();
  const reply = await fetch(`${service.origin}/healthz`);
  await reply.text();
  await service.stop();
  await expect(fetch(`${service.origin}/healthz`)).rejects.toThrow("fetch failed");
});

it("rejects renders that get a slot too late to finish within drainTimeoutMs, free of charge", async () => {
  // a render can take 45 s, so none can start once the service is draining
  const { engine, service, send, snap, customer, renderer } = await openService({
    drainTimeoutMs: 45_000,
    concurrency: 1,
  });
  const { token } = await customer();
  const release = renderer.hold();
  const running = snap({ url }, { token });
  await renderer.whenCalled(1);
  const waiting = snap({ url: `${url}waiting` }, { token });
  await expect.poll(() => engine.load().waiting).toBe(1);
  const stopping = service.stop();
  // a 503 shows that it is draining
  await expect.poll(async () => (await send("/v1/usage", { token })).status).toBe(503);
  release();

  expect((await running).status).toBe(200);
  const rejected = await waiting;
  expect(rejected.status).toBe(503);
  expect(envelopeOf(rejected)).toMatchObject({
    code: "upstream_rate_limited",
    message:
      "The service is busy: this process is stopping, and the render could not finish in time. Retry shortly.",
  });
  expect(rejected.headers["retry-after"]).toBe("2");
  expect(renderer.calls).toHaveLength(1);
  const { account } = await engine.authenticate(token);
  const { limit } = await engine.credits(account);
  expect(await engine.credits(account)).toMatchObject({ used: 1, remaining: limit - 1 });
  await stopping;
});

it("stops waiting for running requests after drainTimeoutMs", async () => {
  const { service, snap, customer, renderer } = await openService({ drainTimeoutMs: 10 });
  const { token } = await customer();
  const release = renderer.hold();
  const running = snap({ url }, { token });
  await renderer.whenCalled(1);
  await Promise.all([service.stop(), expect(running).rejects.toThrow("socket hang up")]);
  release();
});

it("reports a port that is in use", async () => {
  const { engine, service } = await openService();
  const port = Number(new URL(service.origin).port);
  const logger = createLogger("silent");
  const address = { host: "127.0.0.1", port, publicUrl: service.origin };
  await expect(startService({ ...address, engine, logger, metrics: false })).rejects.toThrow(
    `cannot listen on 127.0.0.1 port ${port}: another program is using it`,
  );
});

it("takes over a listener, and closes it when it stops", async () => {
  const { engine } = await openService();
  const listener = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow("fetch failed");
  const logger = createLogger("silent");
  const address = { host: "127.0.0.1", port, listener, publicUrl: origin };
  const service = await startService({ ...address, engine, logger, metrics: false });
  expect(service.origin).toBe(origin);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  await service.stop();
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow("fetch failed");
});
