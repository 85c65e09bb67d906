import { createEngine, SnapError, type Engine, type Principal } from "@snap/engine";
import type { WebhookRequest } from "@snap/engine/ports";
import { signWebhook } from "@snap/protocol";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer, createFakeResolver, createFakeWebhookSender } from "@snap/testing";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace, until } from "./command.ts";

const SECRET_KEY = "a key for these tests";
const workspace = openWorkspace({ SNAP_SECRET_KEY: SECRET_KEY });
const url = "https://example.com/";
const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const KEY = expect.stringMatching(/^[0-9a-f]{64}$/);
const id = expect.stringMatching(/^item_[0-9a-f]{24}$/);
/** The fields of an item that can be empty, all empty. */
const UNKNOWN = {
  error: null,
  etag: null,
  target_status: null,
  expires_at: null,
  credit_cost: null,
  notes: [],
  starts: null,
  fence: null,
  limited_since: null,
  due_at: null,
  lease_ends_at: null,
};

/** Stays open on the data folder, like a running server. */
let engine: Engine;
let principal: Principal;
const renderer = createFakeRenderer();
const webhookSender = createFakeWebhookSender();
const attempted = Promise.withResolvers<void>();

beforeAll(async () => {
  engine = createEngine({
    storage: await openSqliteStorage({ directory: join(workspace.directory, "data") }),
    renderer,
    webhookSender,
    secretKey: SECRET_KEY,
    concurrency: 1,
    webhookRetryDelaysMs: [60 * 60 * 1000],
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    onDeliveryAttempt: () => attempted.resolve(),
  });
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  principal = await engine.authenticate(token);
});
afterAll(async () => {
  await engine.close();
  await workspace.cleanUp();
});

function submit(document: unknown): Promise<{ readonly id: string }> {
  return engine.batches.submit({ principal, document });
}

describe("batches show", () => {
  it("fails for an unknown batch", async () => {
    expect(await workspace.run(["batches", "show", "batch_0"])).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: expect.stringMatching(
        /^error: unknown batch batch_0; `snap-server batches list` lists all batches; /,
      ),
    });
    const { code, stderr } = await workspace.run(["batches", "show", "batch_0", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "batch_not_found", message: "unknown batch batch_0" },
    });
  });

  it("shows a queued batch while another engine uses the folder, without its secrets", async () => {
    const batch = await submit({ items: [{ url, basicAuth: "ada:s3cr3t" }] });
    expect(await workspace.json(["batches", "show", batch.id])).toEqual({
      id: batch.id,
      account_id: principal.account.id,
      token_id: principal.token.id,
      status: "pending",
      created_at: DATE_TIME,
      finished_at: null,
      prunes_at: null,
      webhook: null,
      items: [
        {
          id,
          url,
          parameters: { url, basicAuth: "[secret]" },
          cache_key: KEY,
          status: "queued",
          ...UNKNOWN,
          starts: 0,
          fence: 0,
          due_at: DATE_TIME,
        },
      ],
      deliveries: [],
    });
    const { stdout } = await workspace.run(["batches", "show", batch.id]);
    expect(stdout).toMatch(/^status +pending, 0 of 1 finished$/m);
    expect(stdout).toMatch(/^webhook +none$/m);
    expect(stdout).toMatch(/^ID +STATUS +CODE +STARTS +NEXT START +COST +URL$/m);
    expect(stdout).toMatch(/^item_\w+ +queued +0 +\d{4}-\d\d-\d\d \d\d:\d\d UTC +https:\/\/example\.com\/$/m);
  });

  it("shows the items and the webhook of a finished batch", async () => {
    webhookSender.returnNext({
      kind: "responded",
      status: 500,
      retryAfterMs: null,
      body: "\nOut of\u001B[31m order\nstack",
    });
    const items = [{ url: `${url}a`, pdf: true }, { url: `${url}b` }];
    const batch = await submit({ items, webhookUrl: `${url}hook` });
    // The previous test's batch is first in the queue.
    const release = renderer.hold();
    engine.startWorker();
    await renderer.whenCalled(1);
    renderer.failNext(new SnapError("render_failed", "The page could not be captured."));
    release();
    await attempted.promise;
    await until(
      () => engine.batches.attemptPage({ batchId: batch.id, limit: 1 }),
      ({ entries }) => entries.length > 0,
    );
    const shown = await workspace.json(["batches", "show", batch.id]);
    expect(shown).toEqual({
      id: batch.id,
      account_id: principal.account.id,
      token_id: principal.token.id,
      status: "complete",
      created_at: DATE_TIME,
      finished_at: DATE_TIME,
      prunes_at: DATE_TIME,
      webhook: {
        url: `${url}hook`,
        status: "due",
        attempts: 1,
        next_attempt_at: DATE_TIME,
        lease_ends_at: null,
        delivered_at: null,
      },
      items: [
        {
          id,
          url: `${url}a`,
          parameters: { url: `${url}a`, pdf: true },
          cache_key: KEY,
          status: "failed",
          ...UNKNOWN,
          error: { code: "render_failed", message: "The page could not be captured." },
          credit_cost: 0,
        },
        {
          id,
          url: `${url}b`,
          parameters: { url: `${url}b` },
          cache_key: KEY,
          status: "done",
          ...UNKNOWN,
          etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
          target_status: 200,
          expires_at: DATE_TIME,
          credit_cost: 1,
        },
      ],
      deliveries: [
        {
          id: expect.stringMatching(/^dlv_[0-9a-f]{24}$/),
          batch_id: batch.id,
          at: DATE_TIME,
          attempt: 1,
          duration_ms: expect.any(Number),
          delivered: false,
          status: 500,
          failure: null,
          body: "\nOut of\u001B[31m order\nstack",
        },
      ],
    });
    const { stdout } = await workspace.run(["batches", "show", batch.id]);
    expect(stdout).toMatch(/^status +complete$/m);
    expect(stdout).toMatch(/^webhook +https:\/\/example\.com\/hook$/m);
    expect(stdout).toMatch(/^delivery +next attempt \d{4}-\d\d-\d\d \d\d:\d\d UTC, 1 attempt$/m);
    expect(stdout).toMatch(/^item_\w+ +failed +render_failed +0 +https:\/\/example\.com\/a$/m);
    expect(stdout).toMatch(/^item_\w+ +done +1 +https:\/\/example\.com\/b$/m);
    expect(stdout).toMatch(/^ATTEMPT +AT +STATUS +TIME +RESPONSE$/m);
    expect(stdout).toMatch(/^1 +\d{4}-\d\d-\d\d \d\d:\d\d UTC +500 +\d+ ms +Out of \[31m order$/m);
  });
});

describe("batches list", () => {
  it("lists the most recently submitted first, and filters", async () => {
    const list = async (...args: string[]): Promise<unknown> => workspace.json(["batches", "list", ...args]);
    const all = (await list()) as { id: string }[];
    const [second, first] = all;
    expect(all).toEqual([
      {
        id: second?.id,
        account_id: principal.account.id,
        token_id: principal.token.id,
        status: "complete",
        created_at: DATE_TIME,
        finished_at: DATE_TIME,
        prunes_at: DATE_TIME,
        webhook: expect.objectContaining({ url: `${url}hook`, status: "due" }),
        items: { queued: 0, rendering: 0, done: 1, failed: 1 },
      },
      expect.objectContaining({
        status: "complete",
        webhook: null,
        items: { queued: 0, rendering: 0, done: 1, failed: 0 },
      }),
    ]);
    expect(await list("--account", "ADA@example.com")).toEqual(all);
    const unknown = await workspace.run(["batches", "list", "--account", "acct_0"]);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      "error: account acct_0 not found; `snap-server accounts list` lists all accounts\n",
    ]);
    expect(await list("--status", "pending")).toEqual([]);
    expect(await list("--delivery", "due")).toEqual([second]);
    expect(await list("--limit", "1")).toEqual({ batches: [second], more: 1, next: second?.id });
    expect(await list("--limit", "1", "--after", String(second?.id))).toEqual({
      batches: [first],
      more: 0,
      next: null,
    });
  });

  it("prints a table, and the command that shows the rest", async () => {
    const { stdout } = await workspace.run(["batches", "list", "--limit", "1", "--status", "complete"]);
    expect(stdout).toMatch(
      /^ID +ACCOUNT +CREATED +STATUS +FAILED +WEBHOOK\n(batch_\w+) .* complete +1 +next attempt .*\n\n1 more: snap-server batches list --limit 1 --status complete --after \1\n$/,
    );
    const { stdout: none } = await workspace.run(["batches", "list", "--status", "pending"]);
    expect(none).toBe("No matching batches.\n");
  });

  it("rejects an unknown batch after --after", async () => {
    const { code, stderr } = await workspace.run(["batches", "list", "--after", "batch_0", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "batch_not_found" } });
  });
});

describe("batches redeliver", () => {
  it("sends the webhook again, with the same id and a new signature", async () => {
    const [{ id: batchId } = { id: "" }] = (await workspace.json([
      "batches",
      "list",
      "--delivery",
      "due",
    ])) as {
      id: string;
    }[];
    const beganAt = Date.now();
    const { code, stdout } = await workspace.run(["batches", "redeliver", batchId]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`${batchId} is due again`) });
    await webhookSender.whenSent(2);
    await until(
      () => workspace.json(["batches", "show", batchId]),
      (batch) => (batch as { webhook: { status: string } }).webhook.status === "delivered",
    );
    const deliveredAt = Date.now();
    expect(await workspace.json(["batches", "redeliver", batchId])).toMatchObject({
      id: batchId,
      webhook: { status: "due", attempts: 0, delivered_at: expect.stringMatching(/Z$/) },
    });
    await webhookSender.whenSent(3);
    const { signingSecret } = await engine.tokens.reveal(principal.token.id);
    for (const [index, sentAfter] of [0, beganAt, deliveredAt].entries()) {
      const { headers, body } = webhookSender.requests[index] as WebhookRequest;
      const timestamp = String(headers["X-Webhook-Timestamp"]);
      expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(sentAfter / 1000));
      expect(headers).toMatchObject({
        "X-Webhook-Id": batchId,
        "X-Webhook-Signature": signWebhook({ timestamp, body }, signingSecret),
      });
    }
  });

  it.each([
    ["has no webhook", (): Promise<string> => idOf({ items: [{ url: `${url}c` }] })],
    [
      "is not complete",
      (): Promise<string> => idOf({ items: [{ url: `${url}slow` }], webhookUrl: `${url}hook` }),
    ],
  ])("rejects a batch that %s", async (reason, submitted) => {
    const release = renderer.hold();
    const { code, stderr } = await workspace.run(["batches", "redeliver", await submitted(), "--json"]);
    release();
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "cannot_redeliver",
        message: expect.stringContaining(reason),
        advice: reason === "has no webhook" ? null : "its webhook is sent when every item is finished",
      },
    });
  });
});

async function idOf(document: unknown): Promise<string> {
  return (await submit(document)).id;
}
