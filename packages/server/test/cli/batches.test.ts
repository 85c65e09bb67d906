import { createEngine, SnapError, type Engine, type Principal } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer, createFakeResolver, createFakeWebhookSender } from "@snap/testing";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const SECRET_KEY = "a key for these tests";
const workspace = openWorkspace({ SNAP_SECRET_KEY: SECRET_KEY });
const url = "https://example.com/";
const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const KEY = expect.stringMatching(/^[0-9a-f]{64}$/);
const id = expect.stringMatching(/^item_[0-9a-f]{24}$/);

/** Stays open over the data folder, like a running server. */
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
    webhookPausesMs: [60 * 60 * 1000],
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
  await workspace.clear();
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
      stderr: "error: unknown batch batch_0\n",
    });
    const { code, stderr } = await workspace.run(["batches", "show", "batch_0", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({ error: { message: "unknown batch batch_0" } });
  });

  it("shows a queued batch while another process is running", async () => {
    const batch = await submit({ items: [{ url }] });
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
          parameters: { url },
          cache_key: KEY,
          status: "queued",
          starts: 0,
          fence: 0,
          limited_since: null,
          due_at: DATE_TIME,
          lease_ends_at: null,
        },
      ],
    });
    const { stdout } = await workspace.run(["batches", "show", batch.id]);
    expect(stdout).toMatch(/^status +pending, 0 of 1 finished$/m);
    expect(stdout).toMatch(/^webhook +none$/m);
    expect(stdout).toMatch(/^ID +STATUS +CODE +STARTS +NEXT +COST +URL$/m);
    expect(stdout).toMatch(/^item_\w+ +queued +0 +\d{4}-\d\d-\d\d \d\d:\d\d UTC +https:\/\/example\.com\/$/m);
  });

  it("shows the items and the webhook of a finished batch", async () => {
    webhookSender.returnNext({ kind: "responded", status: 500, retryAfterMs: null });
    const items = [{ url: `${url}a`, pdf: true }, { url: `${url}b` }];
    const batch = await submit({ items, webhookUrl: `${url}hook` });
    // The batch of the previous test is first in the queue.
    const release = renderer.hold();
    engine.startWorker();
    await renderer.whenCalled(1);
    renderer.failNext(new SnapError("render_failed", "The page could not be captured."));
    release();
    await attempted.promise;
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
          error: { code: "render_failed", message: "The page could not be captured." },
          credit_cost: 0,
          notes: [],
        },
        {
          id,
          url: `${url}b`,
          parameters: { url: `${url}b` },
          cache_key: KEY,
          status: "done",
          etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
          target_status: 200,
          expires_at: DATE_TIME,
          credit_cost: 1,
          notes: [],
        },
      ],
    });
    const { stdout } = await workspace.run(["batches", "show", batch.id]);
    expect(stdout).toMatch(/^status +complete$/m);
    expect(stdout).toMatch(/^webhook +https:\/\/example\.com\/hook$/m);
    expect(stdout).toMatch(/^delivery +next attempt \d{4}-\d\d-\d\d \d\d:\d\d UTC, 1 attempt$/m);
    expect(stdout).toMatch(/^item_\w+ +failed +render_failed +0 +https:\/\/example\.com\/a$/m);
    expect(stdout).toMatch(/^item_\w+ +done +1 +https:\/\/example\.com\/b$/m);
  });
});
