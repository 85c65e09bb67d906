import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { WEBHOOK_URL, isComplete, flushMicrotasks, openBatchBench, START_MS } from "./open-engine.ts";
import type { BatchBench, Customer } from "./open-engine.ts";

const MINUTE_MS = 60_000;
const ATTEMPT_ID = /^dlv_[0-9a-f]{24}$/;

function respondWith(status: number, body: string): WebhookOutcome {
  return { kind: "responded", status, retryAfterMs: null, body };
}

/** Submits a batch of one item, and waits for the first attempt to deliver its webhook. */
async function deliverOne(bench: BatchBench, principal: Customer, webhookUrl = WEBHOOK_URL): Promise<string> {
  bench.engine.startWorker();
  const { id: batchId } = await bench.submit(principal, ["a"], webhookUrl);
  await bench.until({ principal, batchId }, isComplete);
  await bench.advance(1000);
  return batchId;
}

describe("a webhook's URL", () => {
  it("is trimmed and encoded like a page's, before it is stored, sent and compared", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const submitTo = (webhookUrl: string): Promise<{ readonly id: string }> =>
      bench.engine.batches.submit({
        principal,
        document: { items: [{ url: "https://example.com/" }], webhookUrl },
        idempotencyKey: "one",
      });
    const { id: batchId } = await submitTo("  https://hooks.example.com/a b ");
    expect((await submitTo("https://hooks.example.com/a%20b")).id).toBe(batchId);
    bench.engine.startWorker();
    const { webhook } = await bench.until({ principal, batchId }, isComplete);
    expect(webhook?.url).toBe("https://hooks.example.com/a%20b");
    await bench.advance(1000);
    expect(bench.sender.requests.map(({ url }) => url)).toEqual(["https://hooks.example.com/a%20b"]);
  });
});

describe("delivery attempts", () => {
  it("are recorded with their responses, newest first", async () => {
    const bench = openBatchBench({ webhookRetryDelaysMs: [1000, 1000] });
    const principal = await bench.customer();
    bench.sender.returnNext(respondWith(500, "try\0again"));
    bench.sender.returnNext({ kind: "failed", reason: "timed-out" });
    const batchId = await deliverOne(bench, principal);
    await bench.advance(5000);
    const { entries, hasMore } = await bench.engine.batches.attempts({ principal, batchId, limit: 50 });
    const common = {
      id: expect.stringMatching(ATTEMPT_ID),
      batchId,
      accountId: principal.account.id,
      at: expect.any(Number),
      durationMs: 0,
      failure: null,
    };
    expect(entries).toEqual([
      { ...common, attempt: 3, status: 204, body: "" },
      { ...common, attempt: 2, status: null, failure: "timed-out", body: null },
      { ...common, attempt: 1, status: 500, body: "try\uFFFDagain" },
    ]);
    expect(hasMore).toBe(false);
    expect(entries.every(({ at }) => at >= START_MS && at <= bench.clock.now())).toBe(true);
    const page = { principal, batchId, limit: 2 };
    expect(await bench.engine.batches.attempts(page)).toMatchObject({ hasMore: true });
    const after = entries[1]?.id;
    expect(await bench.engine.batches.attempts({ ...page, after })).toEqual({
      entries: entries.slice(2),
      hasMore: false,
    });
    expect((await bench.engine.batches.attemptPage({ limit: 9 })).entries).toEqual(entries);
    expect((await bench.engine.batches.attemptPage({ limit: 9, accountId: "other" })).entries).toEqual([]);
  });

  it("are recorded and reported without the secrets of the URL", async () => {
    const bench = openBatchBench({ webhookRetryDelaysMs: [1000] });
    const principal = await bench.customer();
    const secret = `TOP SECRET ${"s".repeat(300)}`;
    bench.sender.returnNext(respondWith(410, `Cannot POST /hooks/${secret}\n<b>${secret}</b>`));
    const hook = `https://hooks.example.com/hooks/${encodeURIComponent(secret)}`;
    const batchId = await deliverOne(bench, principal, hook);
    const { entries } = await bench.engine.batches.attempts({ principal, batchId, limit: 9 });
    expect(entries).toMatchObject([{ status: 410, body: "Cannot POST [path]\n<b>[path]</b>" }]);
    expect(bench.attempts).toMatchObject([{ response: "Cannot POST [path]", outcome: { status: 410 } }]);
    expect(JSON.stringify(bench.attempts)).not.toContain("SECRET");
  });

  it("are recorded with their durations", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const release = bench.sender.hold();
    bench.engine.startWorker();
    const { id: batchId } = await bench.submit(principal, ["a"], WEBHOOK_URL);
    await bench.sender.whenSent(1);
    bench.clock.advance(700);
    release();
    await bench.advance(1000);
    const { entries } = await bench.engine.batches.attempts({ principal, batchId, limit: 9 });
    expect(entries).toMatchObject([{ durationMs: 700, status: 204 }]);
  });

  it("are recorded without a response if the token was revoked", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const release = bench.renderer.hold();
    bench.engine.startWorker();
    const { id: batchId } = await bench.submit(principal, ["a"], WEBHOOK_URL);
    await bench.renderer.whenCalled(1);
    await bench.engine.tokens.revoke(principal.token.id);
    release();
    await bench.advance(1000);
    const { entries } = await bench.engine.batches.attemptPage({ batchId, limit: 9 });
    expect(entries).toMatchObject([{ attempt: 1, status: null, failure: "token-revoked", body: null }]);
  });

  it("are not retried if they cannot be recorded", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const batches = bench.storage.batches as { recordAttempt: typeof bench.storage.batches.recordAttempt };
    batches.recordAttempt = async () => {
      throw new Error("the disk is full");
    };
    const batchId = await deliverOne(bench, principal);
    await bench.advance(10 * MINUTE_MS);
    expect(bench.sender.requests).toHaveLength(1);
    expect(bench.errors).toEqual([new Error("the disk is full")]);
    const { webhook } = await bench.engine.batches.get({ principal, batchId });
    expect(webhook?.delivered_at).not.toBeNull();
  });
});

describe("many due deliveries", () => {
  it("yield to the event loop after each attempt", async () => {
    const bench = openBatchBench({ webhookRetryDelaysMs: [MINUTE_MS] });
    const principal = await bench.customer();
    bench.sender.returnNext({ kind: "failed", reason: "broken" }, 10);
    bench.engine.startWorker();
    for (let batch = 0; batch < 10; batch += 1) await bench.submit(principal, [`page-${batch}`], WEBHOOK_URL);
    await bench.advance(5000);
    expect(bench.attempts).toHaveLength(10);
    bench.clock.advance(2 * MINUTE_MS);
    const attemptsPerTurn: number[] = [];
    while (bench.attempts.length < 20) {
      const before = bench.attempts.length;
      await setImmediate();
      attemptsPerTurn.push(bench.attempts.length - before);
    }
    expect(Math.max(...attemptsPerTurn)).toBe(1);
  });
});

describe("resend", () => {
  it("sends the webhook with the same id and a new signature", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const batchId = await deliverOne(bench, principal);
    await bench.advance(2000);
    expect(await bench.engine.batches.resend({ principal, batchId })).toMatchObject({
      id: batchId,
      status: "complete",
      webhook: { url: WEBHOOK_URL, delivered_at: expect.stringMatching(/^2026-03-01T12:00:0/) },
    });
    await bench.advance(1000);
    const [first, second] = bench.sender.requests.map(({ headers }) => headers);
    expect(second?.["X-Webhook-Id"]).toBe(batchId);
    expect(second?.["X-Webhook-Signature"]).not.toBe(first?.["X-Webhook-Signature"]);
    const { entries } = await bench.engine.batches.attempts({ principal, batchId, limit: 9 });
    expect(entries.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it("explains why a webhook cannot be sent", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const { id: unfinished } = await bench.submit(principal, ["b"], WEBHOOK_URL);
    const { id: silent } = await bench.submit(principal, ["c"]);
    const resend = (batchId: string): Promise<unknown> => bench.engine.batches.resend({ principal, batchId });
    const rejection = (message: RegExp): object => ({
      code: "validation_failed",
      message: expect.stringMatching(message),
      errors: { id: [expect.stringMatching(message)] },
    });
    await expect(resend(unfinished)).rejects.toMatchObject(rejection(/not complete/));
    await expect(resend(silent)).rejects.toMatchObject(rejection(/no webhook/));
    const release = bench.sender.hold();
    bench.engine.startWorker();
    await bench.sender.whenSent(1);
    await expect(resend(unfinished)).rejects.toMatchObject(rejection(/being sent/));
    release();
    await bench.advance(1000);
    await bench.engine.tokens.revoke(principal.token.id);
    await expect(resend(unfinished)).rejects.toMatchObject(rejection(/revoked/));
  });

  it("counts toward the rate limit on submissions", async () => {
    const bench = openBatchBench();
    const principal = await bench.customer();
    const batchId = await deliverOne(bench, principal);
    for (let time = 0; time < 9; time += 1) {
      await bench.engine.batches.resend({ principal, batchId });
      await bench.advance(1000);
    }
    await expect(bench.engine.batches.resend({ principal, batchId })).rejects.toMatchObject({
      code: "rate_limited",
      message: expect.stringMatching(/^Rate limit of 10 submissions per minute reached; /),
      rateLimit: { limit: 10, remaining: 0 },
    });
  });
});

describe("a list of batches", () => {
  it("contains the account's batches, most recently submitted first", async () => {
    const bench = openBatchBench();
    const [ada, grace] = [await bench.customer(), await bench.customer()];
    const { id: first } = await bench.submit(ada, ["a", "b"], WEBHOOK_URL);
    const { id: foreign } = await bench.submit(grace, ["a"]);
    const { id: second } = await bench.submit(ada, ["c"]);
    const { batches } = bench.engine;
    expect(await batches.list({ principal: ada, limit: 50 })).toMatchObject({
      entries: [
        { id: second, items: { queued: 1, rendering: 0, done: 0, failed: 0 } },
        { id: first, webhookUrl: WEBHOOK_URL, items: { queued: 2 } },
      ],
      more: 0,
    });
    expect(await batches.list({ principal: ada, limit: 1 })).toMatchObject({ more: 1 });
    expect(await batches.list({ principal: ada, limit: 1, after: second })).toMatchObject({
      entries: [{ id: first }],
    });
    for (const after of [foreign, "batch_unknown"])
      await expect(batches.list({ principal: ada, limit: 1, after })).rejects.toMatchObject({
        code: "not_found",
      });
  });

  it("requires a verified email address; attempts and resends also reject others' batches", async () => {
    const bench = openBatchBench();
    const [ada, grace] = [await bench.customer(), await bench.customer()];
    const batchId = await deliverOne(bench, ada);
    const { batches } = bench.engine;
    const unverified = { ...ada, account: { ...ada.account, emailVerifiedAt: null } };
    for (const request of [
      (principal: Customer) => batches.attempts({ principal, batchId, limit: 9 }),
      (principal: Customer) => batches.resend({ principal, batchId }),
    ]) {
      await expect(request(grace)).rejects.toMatchObject({ code: "not_found" });
      await expect(request(unverified)).rejects.toMatchObject({ code: "email_unverified" });
    }
    await expect(batches.list({ principal: unverified, limit: 9 })).rejects.toMatchObject({
      code: "email_unverified",
    });
    await flushMicrotasks();
    bench.clock.advance(7 * 24 * 60 * MINUTE_MS);
    await expect(batches.resend({ principal: ada, batchId })).rejects.toMatchObject({ code: "not_found" });
  });
});
