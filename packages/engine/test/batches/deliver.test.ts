import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import {
  WEBHOOK_URL,
  isComplete,
  flushMicrotasks,
  openBatchBench,
  type BatchBench,
  type Customer,
} from "./open-engine.ts";

const responded = (status: number, retryAfterMs: number | null = null): WebhookOutcome => ({
  kind: "responded",
  status,
  retryAfterMs,
  body: "",
});

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Returns the signature in the scheme of `X-Webhook-Signature`. */
function hexSignature(key: string, headers: Readonly<Record<string, string>>, body: Uint8Array): string {
  const signed = `snap-webhook-v1\n${headers["X-Webhook-Timestamp"]}\n`;
  return createHmac("sha256", key).update(signed).update(body).digest("hex");
}

/** Finishes a batch of one item, whose webhook is then due. */
async function finishOne(bench: BatchBench, principal: Customer): Promise<string> {
  bench.engine.startWorker();
  const { id: batchId } = await bench.submit(principal, ["a"], WEBHOOK_URL);
  await bench.until({ principal, batchId }, isComplete);
  return batchId;
}

describe("a delivery", () => {
  it("posts the finished batch once, with its id, and stores the acknowledgement", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const batchId = await finishOne(bench, principal);
    await bench.sender.whenSent(1);
    await bench.advance(HOUR);
    expect(bench.sender.requests).toHaveLength(1);
    const [{ url, headers, body }] = bench.sender.requests as [(typeof bench.sender.requests)[0]];
    expect(url).toBe(WEBHOOK_URL);
    expect(headers).toEqual({
      "Content-Type": "application/json; charset=utf-8",
      "X-Webhook-Id": batchId,
      "X-Webhook-Timestamp": expect.stringMatching(/^17723664\d\d$/),
      "X-Webhook-Signature": expect.stringMatching(/^[0-9a-f]{64}$/),
      "webhook-id": batchId,
      "webhook-timestamp": headers["X-Webhook-Timestamp"],
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    const polled = await bench.engine.batches.get({ principal, batchId });
    expect(polled.webhook).toEqual({
      url: WEBHOOK_URL,
      delivered_at: expect.stringMatching(/^2026-03-01T12:00:0/),
    });
    // the batch document that polls returned before the acknowledgement
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual({
      ...polled,
      webhook: { url: WEBHOOK_URL, delivered_at: null },
    });
    expect(bench.attempts).toMatchObject([{ batchId, attempt: 1, delivered: true, retryAt: null }]);
  });

  it("is not sent if the batch has no webhook, or before its last item finishes", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const release = bench.renderer.hold();
    bench.engine.startWorker();
    const { id } = await bench.submit(principal, ["a"], WEBHOOK_URL);
    const { id: withoutWebhook, webhook } = await bench.submit(principal, ["b"]);
    expect(webhook).toBeNull();
    await bench.advance(10 * SECOND);
    expect(bench.sender.requests).toEqual([]);
    release();
    await bench.until({ principal, batchId: withoutWebhook }, isComplete);
    await bench.sender.whenSent(1);
    await bench.advance(HOUR);
    expect(bench.sender.requests.map(({ headers }) => headers["X-Webhook-Id"])).toEqual([id]);
  });
});

// @module-tag openssl
describe("the signature", () => {
  it("equals the HMAC that openssl computes over the raw body, in both schemes", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    await finishOne(bench, principal);
    await bench.sender.whenSent(1);
    const [{ headers, body }] = bench.sender.requests as [(typeof bench.sender.requests)[0]];
    const folder = await createTemporaryDirectory();
    const hmac = (text: string, ...options: string[]): Buffer => {
      const file = join(folder, "signed");
      writeFileSync(file, Buffer.concat([Buffer.from(text), body]));
      const key = `hexkey:${Buffer.from(principal.signingSecret).toString("hex")}`;
      return execFileSync("openssl", ["dgst", "-sha256", "-mac", "HMAC", "-macopt", key, ...options, file]);
    };
    const timestamp = headers["X-Webhook-Timestamp"] ?? "";
    const hex = hmac(`snap-webhook-v1\n${timestamp}\n`).toString().trim().split(" ").at(-1);
    expect(headers["X-Webhook-Signature"]).toBe(hex);
    const binary = hmac(`${headers["webhook-id"]}.${timestamp}.`, "-binary");
    expect(headers["webhook-signature"]).toBe(`v1,${binary.toString("base64")}`);
  });

  it("uses the new secret after a rotation; during an overlap, webhook-signature uses both", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const { signingSecret } = await bench.engine.tokens.rotate(principal.token.id, { overlapMs: HOUR });
    await finishOne(bench, principal);
    await bench.sender.whenSent(1);
    const [{ headers, body }] = bench.sender.requests as [(typeof bench.sender.requests)[0]];
    expect(headers["X-Webhook-Signature"]).toBe(hexSignature(signingSecret, headers, body));
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`;
    const [first, second] = [signingSecret, principal.signingSecret].map((key) =>
      createHmac("sha256", key).update(signed).update(body).digest("base64"),
    );
    expect(headers["webhook-signature"]).toBe(`v1,${first} v1,${second}`);
  });
});

describe("attempts", () => {
  it("follow the schedule, each with a new signature; the batch can be polled afterwards", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    bench.sender.returnNext(responded(500), 100);
    const batchId = await finishOne(bench, principal);
    const minDelaysMs = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
    const delaysMs: number[] = [];
    for (const [index] of minDelaysMs.entries()) {
      const attempt = index + 1;
      await bench.sender.whenSent(attempt);
      await flushMicrotasks();
      const sentAt = bench.clock.now();
      bench.clock.advance((bench.attempts.at(-1)?.retryAt ?? 0) - sentAt - 1);
      await flushMicrotasks();
      expect(bench.sender.requests).toHaveLength(attempt);
      await bench.advance(SECOND);
      expect(bench.sender.requests).toHaveLength(attempt + 1);
      delaysMs.push((bench.attempts.at(-2)?.retryAt ?? 0) - sentAt);
    }
    for (const [index, minDelayMs] of minDelaysMs.entries()) {
      expect(delaysMs[index]).toBeGreaterThanOrEqual(minDelayMs);
      expect(delaysMs[index]).toBeLessThanOrEqual(minDelayMs * 1.1);
    }
    bench.clock.advance(48 * HOUR);
    await bench.advance(2 * SECOND);
    expect(bench.sender.requests).toHaveLength(8);
    expect(new Set(bench.sender.requests.map(({ headers }) => headers["X-Webhook-Id"]))).toEqual(
      new Set([batchId]),
    );
    const timestamps = bench.sender.requests.map(({ headers }) => headers["X-Webhook-Timestamp"]);
    expect(new Set(timestamps).size).toBe(8);
    const signatures = bench.sender.requests.map(({ headers }) => headers["X-Webhook-Signature"]);
    expect(new Set(signatures).size).toBe(8);
    const polled = await bench.engine.batches.get({ principal, batchId });
    expect(polled).toMatchObject({ status: "complete", webhook: { delivered_at: null } });
    expect(bench.attempts.map(({ delivered }) => delivered)).toEqual(Array.from({ length: 8 }, () => false));
  });

  it.each<[string, WebhookOutcome, number]>([
    ["server errors", responded(500), 4],
    ["redirects", responded(302), 4],
    ["a hanging receiver", { kind: "failed", reason: "timed-out" }, 4],
    ["a receiver whose host became private", { kind: "failed", reason: "blocked" }, 4],
    ["a client error", responded(404), 4],
  ])(
    "are repeated with the same id until one succeeds, which sets delivered_at: %s",
    async (_name, outcome, attempts) => {
      const bench = openBatchBench({ webhookRetryDelaysMs: [SECOND, SECOND, SECOND, SECOND] });
      const principal = await bench.customer();
      bench.sender.returnNext(outcome, 3);
      const batchId = await finishOne(bench, principal);
      const { webhook } = await bench.until(
        { principal, batchId },
        (batch) => batch.webhook?.delivered_at !== null,
      );
      expect(webhook?.delivered_at).toMatch(/Z$/);
      expect(bench.sender.requests).toHaveLength(attempts);
      expect(new Set(bench.sender.requests.map(({ headers }) => headers["X-Webhook-Id"]))).toEqual(
        new Set([batchId]),
      );
    },
  );

  it("stop after a 410 response", async () => {
    const bench = openBatchBench({ webhookRetryDelaysMs: [SECOND, SECOND] });
    bench.sender.returnNext(responded(410));
    await finishOne(bench, await bench.customer());
    await bench.advance(MINUTE);
    expect(bench.sender.requests).toHaveLength(1);
    expect(bench.attempts).toMatchObject([{ delivered: false, retryAt: null }]);
  });

  it("wait for the time in Retry-After, but at most a day and at least as long as in the schedule", async () => {
    for (const [retryAfterMs, expectedMs] of [
      [90 * SECOND, 90 * SECOND],
      [7 * 24 * HOUR, 24 * HOUR],
    ] as const) {
      const bench = openBatchBench({ webhookRetryDelaysMs: [SECOND] });
      bench.sender.returnNext(responded(503, retryAfterMs));
      await finishOne(bench, await bench.customer());
      await bench.sender.whenSent(1);
      await flushMicrotasks();
      const retryAt = bench.attempts[0]?.retryAt ?? 0;
      expect(retryAt - bench.clock.now()).toBe(expectedMs);
    }
    const bench = openBatchBench({ webhookRetryDelaysMs: [MINUTE] });
    bench.sender.returnNext(responded(503, 1));
    await finishOne(bench, await bench.customer());
    await bench.sender.whenSent(1);
    await flushMicrotasks();
    expect((bench.attempts[0]?.retryAt ?? 0) - bench.clock.now()).toBeGreaterThanOrEqual(MINUTE);
  });

  it("stop when the token is revoked", async () => {
    const bench = openBatchBench({ webhookRetryDelaysMs: [SECOND, SECOND] });
    const principal = await bench.customer();
    bench.sender.returnNext(responded(500));
    await finishOne(bench, principal);
    await bench.sender.whenSent(1);
    await bench.engine.tokens.revoke(principal.token.id);
    await bench.advance(MINUTE);
    expect(bench.sender.requests).toHaveLength(1);
    expect(bench.attempts.at(-1)).toMatchObject({ outcome: { kind: "token-revoked" }, retryAt: null });
  });

  it("are signed with the new secret after a rotation, and so are the URLs in them", async () => {
    const bench = openBatchBench({ webhookRetryDelaysMs: [SECOND] });
    const principal = await bench.customer();
    bench.sender.returnNext(responded(500));
    await finishOne(bench, principal);
    await bench.sender.whenSent(1);
    const { signingSecret } = await bench.engine.tokens.rotate(principal.token.id);
    await bench.advance(5 * SECOND);
    expect(bench.sender.requests).toHaveLength(2);
    for (const [index, secret] of [principal.signingSecret, signingSecret].entries()) {
      const { headers, body } = bench.sender.requests[index] as (typeof bench.sender.requests)[0];
      expect(headers["X-Webhook-Signature"]).toBe(hexSignature(secret, headers, body));
    }
    const links = bench.sender.requests.map(({ body }) => {
      const { items } = JSON.parse(new TextDecoder().decode(body)) as { items: { signed_url: string }[] };
      return items[0]?.signed_url;
    });
    // each attempt has a new body, with URLs signed with the current secret
    expect(links[0]).not.toBe(links[1]);
    const results = links.map((link) =>
      bench.engine.authenticateSigned(new URL(link ?? "").searchParams).then(
        () => "works",
        (error: { code: string }) => error.code,
      ),
    );
    expect(await Promise.all(results)).toEqual(["invalid_signature", "works"]);
  });

  it("are retried with the same id if the acknowledgement is not stored", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const { change } = bench.storage.batches;
    let shouldFail = true;
    const batches = bench.storage.batches as { change: typeof change };
    batches.change = async (request) => {
      if (shouldFail && bench.sender.requests.length === 1) {
        shouldFail = false;
        throw new Error("killed");
      }
      return change(request);
    };
    const batchId = await finishOne(bench, principal);
    await bench.until({ principal, batchId }, (batch) => batch.webhook?.delivered_at !== null);
    const ids = bench.sender.requests.map(({ headers }) => headers["X-Webhook-Id"]);
    expect(ids).toEqual([batchId, batchId]);
    expect(bench.errors.map(String)).toEqual(["Error: killed"]);
  });

  it("do not count if the storage fails before anything is sent", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    bench.sender.returnNext({ kind: "responded", status: 503, retryAfterMs: null, body: "" });
    const { peek } = bench.storage.renderings;
    let failures = 7;
    (bench.storage.renderings as { peek: typeof peek }).peek = async (request) => {
      const batch = await bench.storage.batches.page({ limit: 1 });
      if (batch.entries[0]?.finishedAt == null || (failures -= 1) < 0) return peek(request);
      throw new Error("connection lost");
    };
    bench.engine.startWorker();
    const { id: batchId } = await bench.submit(principal, ["a"], WEBHOOK_URL);
    await bench.advance(600_000);
    const { webhook } = await bench.engine.batches.get({ principal, batchId });
    expect(webhook?.delivered_at).not.toBeNull();
    expect(bench.attempts.map(({ attempt, delivered }) => [attempt, delivered])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(bench.errors.map(String)).toEqual(Array.from({ length: 7 }, () => "Error: connection lost"));
  });

  it("are each made by only one of several engines", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    bench.engine.startWorker();
    bench.open().startWorker();
    bench.open().startWorker();
    const ids: string[] = [];
    for (let batch = 0; batch < 10; batch += 1)
      ids.push((await bench.submit(principal, [`only-${batch}`], WEBHOOK_URL)).id);
    await bench.sender.whenSent(10);
    await bench.advance(MINUTE);
    expect(bench.sender.requests.map(({ headers }) => headers["X-Webhook-Id"] ?? "").toSorted()).toEqual(
      ids.toSorted(),
    );
  });
});

describe("a worker that stops", () => {
  it("claims none of the deliveries that it has found", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const worker = bench.engine.startWorker();
    const batches = bench.storage.batches as { dueDeliveries: Storage["batches"]["dueDeliveries"] };
    const { dueDeliveries } = bench.storage.batches;
    batches.dueDeliveries = async (request) => {
      const due = await dueDeliveries(request);
      if (due.length > 0) void worker.stop();
      return due;
    };
    const { id } = await bench.submit(principal, ["a"], WEBHOOK_URL);
    await bench.advance(5 * SECOND);
    expect((await bench.storage.batches.find(id))?.delivery).toMatchObject({ status: "due", attempts: 0 });
    expect(bench.sender.requests).toEqual([]);
  });
});

describe("many deliveries", () => {
  it("to one account's hanging receivers do not block other accounts' deliveries", async () => {
    const bench = openBatchBench();
    const [busy, other] = [await bench.customer(), await bench.customer()];
    bench.engine.startWorker();
    const release = bench.sender.hold();
    for (let batch = 0; batch < 10; batch += 1) await bench.submit(busy, [`busy-${batch}`], WEBHOOK_URL);
    await bench.advance(2 * SECOND);
    expect(bench.sender.requests).toHaveLength(4);
    const { id } = await bench.submit(other, ["other"], WEBHOOK_URL);
    await bench.sender.whenSent(5);
    expect(bench.sender.requests.at(-1)?.headers["X-Webhook-Id"]).toBe(id);
    release();
    await bench.sender.whenSent(11);
  });

  it("have a short time to finish when the worker stops; an aborted attempt does not count", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const worker = bench.engine.startWorker();
    const release = bench.sender.hold();
    const { id } = await bench.submit(principal, ["a"], WEBHOOK_URL);
    await bench.sender.whenSent(1);
    const stopped = worker.stop();
    await bench.advance(2900);
    expect((await bench.storage.batches.find(id))?.delivery?.status).toBe("sending");
    await bench.advance(200);
    await stopped;
    expect((await bench.storage.batches.find(id))?.delivery).toMatchObject({ status: "due", attempts: 0 });
    expect(bench.attempts).toEqual([]);
    release();
    bench.engine.startWorker();
    await bench.sender.whenSent(2);
    await bench.until({ principal, batchId: id }, (batch) => batch.webhook?.delivered_at !== null);
  });
});
