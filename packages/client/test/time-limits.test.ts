import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, SnapError } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { envelope, openRawServer, TOKEN, type Responder } from "./raw-server.ts";

const PAGE = { url: "https://example.com/" } as const;
const hangBeforeHeaders: Responder = () => {};
const hangInBody: Responder = (response) => {
  response.writeHead(200, { "Content-Type": "image/png" });
  response.write("an im");
};
const hangInError: Responder = (response) => {
  response.writeHead(502, { "Content-Type": "text/html" });
  response.write("<html>");
};

describe("the timeout", () => {
  it.for([
    ["the headers", hangBeforeHeaders],
    ["the body", hangInBody],
    ["the body of an error", hangInError],
  ] as const)("ends an attempt that hangs in %s, without a retry", async ([, respond]) => {
    const { origin, requests } = await openRawServer(respond);
    const snap = createClient({ baseUrl: origin, token: TOKEN, timeoutMs: 500 });
    const failure = await failureOf(snap.screenshot(PAGE));
    expect(failure).toMatchObject({
      code: "timed_out",
      status: 0,
      message: `${origin} sent no complete response within 500 ms.`,
    });
    expect(requests).toHaveLength(1);
  });

  it("can be set for one call", async () => {
    const { origin } = await openRawServer(hangBeforeHeaders);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    expect(await failureOf(snap.usage({ timeoutMs: 500 }))).toMatchObject({ code: "timed_out" });
  });

  it("does not cover the body of a stream", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const body = Promise.withResolvers<() => void>();
    const { origin } = await openRawServer((response) => {
      response.writeHead(200, { "Content-Type": "image/png" });
      response.write("an im");
      body.resolve(() => response.end("age"));
    });
    const snap = createClient({ baseUrl: origin, token: TOKEN, timeoutMs: 1000 });
    const { stream } = await snap.screenshot(PAGE, { as: "stream" });
    vi.advanceTimersByTime(60_000);
    const finish = await body.promise;
    finish();
    expect(await new Response(stream).text()).toBe("an image");
  });
});

describe("the caller's signal", () => {
  it.for([
    ["the headers", hangBeforeHeaders],
    ["the body", hangInBody],
  ] as const)("ends a call that hangs in %s", async ([, respond]) => {
    const controller = new AbortController();
    const reason = new Error("no longer needed");
    const { origin, requests } = await openRawServer((response, request) => {
      respond(response, request);
      setImmediate(() => controller.abort(reason));
    });
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    expect(await failureOf(snap.screenshot(PAGE, { signal: controller.signal }))).toMatchObject({
      code: "aborted",
      status: 0,
      requestId: null,
      cause: reason,
    });
    expect(requests).toHaveLength(1);
  });

  it("provides the cause that fetch would throw: an AbortError or a TimeoutError", async () => {
    const { origin, requests } = await openRawServer(hangBeforeHeaders);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    const aborted = snap.usage({ signal: AbortSignal.abort() });
    expect(await failureOf(aborted)).toMatchObject({ code: "aborted", cause: { name: "AbortError" } });
    const signal = AbortSignal.timeout(0);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect((await failureOf(snap.usage({ signal }))).cause).toMatchObject({ name: "TimeoutError" });
    expect(requests).toHaveLength(0);
  });

  it("ends a call with the code aborted even if the reason is a SnapError from another call", async () => {
    const { origin } = await openRawServer(hangBeforeHeaders);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    const reason = new SnapError("timed_out", "another call", { status: 0 });
    const signal = AbortSignal.abort(reason);
    for (const call of [snap.usage({ signal }), snap.batches.wait("batch_01", { signal })])
      expect(await failureOf(call)).toMatchObject({ code: "aborted", cause: reason });
  });

  it("ends an endless stream", async () => {
    const closed = Promise.withResolvers<void>();
    const { origin } = await openRawServer((response) => {
      response.writeHead(200, { "Content-Type": "image/png" });
      const pour = (): void => {
        while (response.write(new Uint8Array(16_384)));
      };
      response.on("drain", pour);
      response.once("close", () => closed.resolve());
      pour();
    });
    const controller = new AbortController();
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    const { stream } = await snap.screenshot(PAGE, { as: "stream", signal: controller.signal });
    const reader = stream.getReader();
    expect((await reader.read()).done).toBe(false);
    controller.abort(new Error("enough"));
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow("enough");
    await closed.promise;
  });

  it("has no listeners left after the call", async () => {
    const { origin } = await openRawServer(envelope(503, "not_ready", { "Retry-After": "0" }), (response) =>
      response.end('{"credits":{}}'),
    );
    const { signal } = new AbortController();
    await createClient({ baseUrl: origin, token: TOKEN }).usage({ signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
