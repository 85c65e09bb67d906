import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { WEBHOOK_URL, openBatchBench } from "./open-engine.ts";

describe("a test event", () => {
  it("looks like the signed webhook of a finished batch without items, and leaves no trace", async () => {
    const { engine, sender, customer, attempts } = openBatchBench();
    const { token, signingSecret } = await customer();
    sender.returnNext({ kind: "responded", status: 200, retryAfterMs: null, body: "thanks" });
    const test = await engine.batches.testWebhook(token.id, { url: WEBHOOK_URL });
    expect(sender.requests).toEqual([
      { url: WEBHOOK_URL, headers: test.headers, body: expect.any(Uint8Array) },
    ]);
    expect(test).toMatchObject({
      url: WEBHOOK_URL,
      outcome: { kind: "responded", status: 200, body: "thanks" },
      delivered: true,
      durationMs: 0,
    });
    const body = new TextDecoder().decode(sender.requests[0]?.body);
    const at = "2026-03-01T12:00:00.000Z";
    const id = test.headers["X-Webhook-Id"];
    expect(id).toMatch(/^test_[0-9a-f]{24}$/);
    expect(JSON.parse(body)).toEqual({
      id,
      status: "complete",
      created_at: at,
      finished_at: at,
      prunes_at: at,
      webhook: { url: WEBHOOK_URL, delivered_at: null },
      items: [],
      test: true,
    });
    const signed = `snap-webhook-v1\n1772366400\n${body}`;
    expect(test.headers).toMatchObject({
      "X-Webhook-Timestamp": "1772366400",
      "X-Webhook-Signature": createHmac("sha256", signingSecret).update(signed).digest("hex"),
      "webhook-id": id,
    });
    expect(attempts).toEqual([]);
    expect((await engine.batches.page({ limit: 10 })).entries).toEqual([]);
    expect((await engine.batches.attemptPage({ limit: 10 })).entries).toEqual([]);
  });

  it("reports why it was not acknowledged, and is sent once", async () => {
    const { engine, sender, customer, advance } = openBatchBench();
    const { token } = await customer();
    sender.returnNext({ kind: "failed", reason: "blocked" });
    sender.returnNext({ kind: "responded", status: 302, retryAfterMs: null, body: "" });
    const test = (): Promise<unknown> => engine.batches.testWebhook(token.id, { url: WEBHOOK_URL });
    expect(await test()).toMatchObject({ delivered: false, outcome: { kind: "failed", reason: "blocked" } });
    expect(await test()).toMatchObject({ delivered: false, outcome: { status: 302 } });
    engine.startWorker();
    await advance(60_000);
    expect(sender.requests).toHaveLength(2);
  });

  it("is sent to the trimmed and encoded URL", async () => {
    const { engine, sender, customer } = openBatchBench();
    const { token } = await customer();
    const url = "https://hooks.example.com/a%20b";
    const test = await engine.batches.testWebhook(token.id, { url: " https://hooks.example.com/a b " });
    expect(test.url).toBe(url);
    expect(sender.requests).toMatchObject([{ url }]);
    expect(JSON.parse(new TextDecoder().decode(sender.requests[0]?.body))).toMatchObject({
      webhook: { url },
    });
  });

  it.for([
    ["an empty string", "", "must be an absolute URL that starts with http:// or https://"],
    [
      "a URL without a scheme",
      "example.com/hook",
      "must be an absolute URL that starts with http:// or https://",
    ],
    ["another scheme", "ftp://example.com/", "must be an absolute URL that starts with http:// or https://"],
    ["a URL with a password", "https://ada:secret@example.com/", "must not contain a user name or password"],
    [
      "a URL that is too long",
      `https://example.com/${"a".repeat(2048)}`,
      "must be at most 2048 characters long",
    ],
  ] as const)("is not sent to %s", async ([_case, url, problem]) => {
    const { engine, sender, customer } = openBatchBench();
    const { token } = await customer();
    await expect(engine.batches.testWebhook(token.id, { url })).rejects.toMatchObject({
      code: "invalid_value",
      message: `a receiver's URL ${problem}`,
    });
    expect(sender.requests).toEqual([]);
  });

  it("is not sent for a token whose signing secret was encrypted with a lost secret key", async () => {
    const { open, sender, customer } = openBatchBench();
    const { token } = await customer();
    const { batches } = open({ secretKey: "the key after the loss" });
    await expect(batches.testWebhook(token.id, { url: WEBHOOK_URL })).rejects.toMatchObject({
      name: "AdminError",
      message: `the secret key cannot decrypt the signing secret of token ${token.id}`,
    });
    expect(sender.requests).toEqual([]);
  });

  it("is not sent for an unknown token", async () => {
    const { engine, sender } = openBatchBench();
    await expect(engine.batches.testWebhook(7, { url: WEBHOOK_URL })).rejects.toMatchObject({
      code: "token_not_found",
    });
    expect(sender.requests).toEqual([]);
  });
});
