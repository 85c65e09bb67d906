import { setImmediate } from "node:timers/promises";
import type { RenderBatch } from "@snap/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { verifyWebhook, type WebhookCallback, webhookHandler } from "../../src/webhooks/index.ts";
import { BATCH, deliver, OLD_SECRET, SECRET } from "./delivery.ts";

const ADDRESS = "https://receiver.example/webhooks/snap";
const post = ({ body, headers } = deliver()): Request =>
  new Request(ADDRESS, { method: "POST", body: new Uint8Array(body), headers });

afterEach(() => {
  vi.restoreAllMocks();
});

describe("webhookHandler", () => {
  it("responds with 204 after the callback resolves", async () => {
    const seen: RenderBatch[] = [];
    const handler = webhookHandler([OLD_SECRET, SECRET], async (batch) => {
      await setImmediate();
      seen.push(batch);
    });
    const response = await handler(post());
    expect(seen).toEqual([BATCH]);
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it("accepts a synchronous callback", async () => {
    expect((await webhookHandler(SECRET, () => 1)(post())).status).toBe(204);
  });

  it.each([
    ["invalid_signature", deliver({ secret: OLD_SECRET })],
    ["timestamp_out_of_tolerance", deliver({ timestamp: "1" })],
    ["invalid_timestamp", deliver({ timestamp: "soon" })],
    ["invalid_body", deliver({ body: "{}" })],
    ["missing_header", { ...deliver(), headers: {} }],
    ["invalid_signature", { ...deliver(), body: Buffer.of() }],
  ])("responds with 400 and the code for %s", async (code, delivery) => {
    const errors: unknown[] = [];
    const callback = vi.fn<WebhookCallback>();
    const response = await webhookHandler(SECRET, callback, { onError: (error) => errors.push(error) })(
      post(delivery),
    );
    expect(response.status).toBe(400);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toEqual({ code, message: expect.any(String) });
    expect(errors).toMatchObject([{ name: "WebhookError", code }]);
    expect(callback).not.toHaveBeenCalled();
  });

  it("responds with 400 to a delivery without a body", async () => {
    const { headers } = deliver();
    const response = await webhookHandler(
      SECRET,
      () => undefined,
    )(new Request(ADDRESS, { method: "POST", headers }));
    expect([response.status, await response.json()]).toMatchObject([400, { code: "invalid_signature" }]);
  });

  it.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("responds with 405 to %s", async (method) => {
    const response = await webhookHandler(SECRET, () => undefined)(new Request(ADDRESS, { method }));
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  it("accepts a body of 1 MiB, and responds with 413 to one byte more", async () => {
    const json = JSON.stringify(BATCH);
    const handler = webhookHandler(SECRET, () => undefined);
    const largest = json.padEnd(1_048_576 - Buffer.byteLength(json) + json.length);
    expect((await handler(post(deliver({ body: largest })))).status).toBe(204);
    const response = await handler(post(deliver({ body: `${largest} ` })));
    expect([response.status, await response.json()]).toMatchObject([413, { code: "body_too_large" }]);
  });

  it("stops reading an endless body", async () => {
    const chunk = new Uint8Array(65_536);
    const canceled = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel: () => canceled.resolve(),
    });
    const { headers } = deliver();
    const request = new Request(ADDRESS, { method: "POST", body, headers, duplex: "half" });
    expect((await webhookHandler(SECRET, () => undefined)(request)).status).toBe(413);
    await canceled.promise;
  });

  it("responds with 500 and calls onError when the callback throws", async () => {
    const fault = new Error("database is down");
    const errors: unknown[] = [];
    const onError = (error: unknown): unknown => errors.push(error);
    const rejectionResponse = await webhookHandler(SECRET, () => Promise.reject(fault), { onError })(post());
    const exceptionResponse = await webhookHandler(
      SECRET,
      () => {
        throw fault;
      },
      { onError },
    )(post());
    expect([rejectionResponse.status, await rejectionResponse.text(), exceptionResponse.status]).toEqual([
      500,
      "",
      500,
    ]);
    expect(errors).toEqual([fault, fault]);
  });

  it("responds with 500 even when the callback throws a WebhookError", async () => {
    const callback = (): unknown => verifyWebhook("{}", {}, SECRET);
    expect((await webhookHandler(SECRET, callback, { onError: () => undefined })(post())).status).toBe(500);
  });

  it("without onError, logs errors from the callback but not rejected deliveries", async () => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    const fault = new Error("database is down");
    const handler = webhookHandler(SECRET, () => Promise.reject(fault));
    await handler(post(deliver({ secret: OLD_SECRET })));
    expect(print).not.toHaveBeenCalled();
    await handler(post());
    expect(print.mock.calls).toEqual([[fault]]);
  });

  it("responds with 400 to an incomplete body", async () => {
    const errors: unknown[] = [];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from("half")),
      pull: (controller) => controller.error(new Error("connection lost")),
    });
    const { headers } = deliver();
    const request = new Request(ADDRESS, { method: "POST", body, headers, duplex: "half" });
    const response = await webhookHandler(SECRET, () => undefined, {
      onError: (error) => errors.push(error),
    })(request);
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([{ code: "invalid_body", cause: { message: "connection lost" } }]);
  });

  it("responds with 500 if the body has already been read", async () => {
    const errors: unknown[] = [];
    const request = post();
    await request.json();
    const response = await webhookHandler(SECRET, () => undefined, {
      onError: (error) => errors.push(error),
    })(request);
    expect(response.status).toBe(500);
    expect(errors).toMatchObject([{ code: "raw_body_needed" }]);
  });

  it.each([
    ["throws", () => expect.fail("a broken reporter")],
    ["rejects", async () => Promise.reject(new Error("a broken reporter"))],
  ])("responds in the same way if onError %s", async (_, onError) => {
    const rejecting = webhookHandler(SECRET, () => undefined, { onError });
    expect((await rejecting(post(deliver({ secret: OLD_SECRET })))).status).toBe(400);
    const failing = webhookHandler(SECRET, () => expect.fail("a broken callback"), { onError });
    expect((await failing(post())).status).toBe(500);
  });

  it("applies toleranceSeconds", async () => {
    const timestamp = String(Math.floor(Date.now() / 1000) - 900);
    const handler = webhookHandler(SECRET, () => undefined, { toleranceSeconds: 1000 });
    expect((await handler(post(deliver({ timestamp })))).status).toBe(204);
  });

  it.each([
    ["a missing secret", "", {}],
    ["an empty list", [], {}],
    ["an infinite tolerance", SECRET, { toleranceSeconds: Infinity }],
  ])("throws for %s", (_, secret, options) => {
    expect(() => webhookHandler(secret, () => undefined, options)).toThrow(
      expect.objectContaining({ name: "WebhookError", code: "misconfigured" }),
    );
  });
});
