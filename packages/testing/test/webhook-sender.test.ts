import { describe, expect, it } from "vitest";
import { createFakeWebhookSender } from "../src/index.ts";

const NO_CONTENT = { kind: "responded", status: 204, retryAfterMs: null, body: "" };
const BROKEN = { kind: "failed", reason: "broken" };

const requestTo = (url: string): { url: string; headers: Record<string, string>; body: Uint8Array } => ({
  url,
  headers: { "X-Webhook-Id": "id" },
  body: Uint8Array.of(123, 125),
});

describe("createFakeWebhookSender", () => {
  it("acknowledges and records requests", async () => {
    const sender = createFakeWebhookSender();
    expect(await sender.send(requestTo("https://example.com/a"))).toEqual(NO_CONTENT);
    expect(await sender.send(requestTo("https://example.com/b"))).toEqual(NO_CONTENT);
    expect(sender.requests).toEqual([
      { url: "https://example.com/a", headers: { "X-Webhook-Id": "id" }, body: Uint8Array.of(123, 125) },
      { url: "https://example.com/b", headers: { "X-Webhook-Id": "id" }, body: Uint8Array.of(123, 125) },
    ]);
  });

  it("returns the given outcome the given number of times", async () => {
    const sender = createFakeWebhookSender();
    sender.returnNext({ kind: "responded", status: 503, retryAfterMs: 2000, body: "" }, 2);
    sender.returnNext({ kind: "failed", reason: "timed-out" });
    const outcomes = [];
    for (let time = 0; time < 4; time += 1)
      outcomes.push(await sender.send(requestTo("https://example.com/")));
    expect(outcomes).toEqual([
      { kind: "responded", status: 503, retryAfterMs: 2000, body: "" },
      { kind: "responded", status: 503, retryAfterMs: 2000, body: "" },
      { kind: "failed", reason: "timed-out" },
      NO_CONTENT,
    ]);
  });

  it("holds outcomes until they are released", async () => {
    const sender = createFakeWebhookSender();
    const release = sender.hold();
    const finished: string[] = [];
    const sending = ["https://example.com/a", "https://example.com/b"].map(async (url) => {
      await sender.send(requestTo(url));
      finished.push(url);
    });
    await sender.whenSent(2);
    await new Promise(setImmediate);
    expect(finished).toEqual([]);
    release();
    await Promise.all(sending);
    expect(finished).toEqual(["https://example.com/a", "https://example.com/b"]);
    expect(await sender.send(requestTo("https://example.com/c"))).toEqual(NO_CONTENT);
  });

  it("resolves whenSent for past and future requests", async () => {
    const sender = createFakeWebhookSender();
    const second = sender.whenSent(2).then(() => sender.requests.length);
    await sender.send(requestTo("https://example.com/"));
    await sender.whenSent(1);
    await sender.send(requestTo("https://example.com/"));
    expect(await second).toBe(2);
  });

  it("ends held requests when it is closed, and sends no more afterwards", async () => {
    const sender = createFakeWebhookSender();
    sender.hold();
    const held = sender.send(requestTo("https://example.com/a"));
    await sender.whenSent(1);
    await sender.close();
    expect(await held).toEqual(BROKEN);
    expect(await sender.send(requestTo("https://example.com/b"))).toEqual(BROKEN);
    expect(sender.requests).toHaveLength(1);
  });

  it("ends a held request that is aborted, and only that one", async () => {
    const sender = createFakeWebhookSender();
    const release = sender.hold();
    const controller = new AbortController();
    const aborted = sender.send({ ...requestTo("https://example.com/a"), signal: controller.signal });
    const other = sender.send(requestTo("https://example.com/b"));
    controller.abort();
    expect(await aborted).toEqual(BROKEN);
    release();
    expect(await other).toEqual(NO_CONTENT);
  });
});
