import type { AdminBatch, AdminBatchSummary, AdminList, DeliveryAttemptDocument } from "@snap/protocol";
import { describe, expect, it } from "vitest";
import { batchOf, submit } from "../http/batches.ts";
import { envelopeOf, jsonOf, type Customer } from "../http/open-service.ts";
import { openAdmin, type AdminTestService } from "./open-admin.ts";

const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const url = "https://example.com/";
const webhookUrl = "https://example.com/hook";

/** Submits a batch and waits until the receiver has responded to its webhook with 500. */
async function submitUndelivered(service: AdminTestService, { token }: Customer): Promise<string> {
  service.webhookSender.returnNext({ kind: "responded", status: 500, retryAfterMs: null, body: "<p>down" });
  const reply = await submit(
    service,
    { items: [{ url, basicAuth: "ada:pass-phrase" }], webhookUrl },
    { token },
  );
  await service.whenLogged("webhook not delivered");
  return batchOf(reply).id;
}

describe("batches", () => {
  it("are shown with the state of their items, without secrets", async () => {
    const service = await openAdmin();
    const { id: account, token, tokenId } = await service.customer();
    const { id } = batchOf(
      await submit(service, { items: [{ url, basicAuth: "ada:phrase" }], webhookUrl }, { token }),
    );
    expect(await service.read(`/batches/${id}`)).toEqual({
      id,
      account_id: account,
      token_id: tokenId,
      status: "pending",
      created_at: DATE_TIME,
      finished_at: null,
      prunes_at: null,
      webhook: {
        url: webhookUrl,
        status: "waiting",
        attempts: 0,
        next_attempt_at: null,
        delivered_at: null,
        lease_ends_at: null,
      },
      items: [
        {
          id: expect.stringMatching(/^item_[0-9a-f]{24}$/),
          url,
          parameters: { url, basicAuth: "[secret]" },
          cache_key: expect.stringMatching(/^[0-9a-f]{64}$/),
          status: "queued",
          error: null,
          etag: null,
          target_status: null,
          expires_at: null,
          credit_cost: null,
          notes: [],
          starts: 0,
          fence: 0,
          limited_since: null,
          due_at: DATE_TIME,
          lease_ends_at: null,
        },
      ],
    });
  });

  it("are listed newest first, with pages and filters", async () => {
    const service = await openAdmin({ worker: true });
    const [ada, grace] = [await service.customer(), await service.customer()];
    const done = await submitUndelivered(service, ada);
    service.clock.advance(1);
    const release = service.renderer.hold();
    const pending = batchOf(
      await submit(service, { items: [{ url: `${url}2` }] }, { token: grace.token }),
    ).id;
    const list = async (query: string): Promise<AdminList<AdminBatchSummary>> =>
      (await service.read(`/batches?${query}`)) as AdminList<AdminBatchSummary>;
    const ids = async (query: string): Promise<readonly string[]> =>
      (await list(query)).entries.map(({ id }) => id);
    const all = await list("");
    expect(all).toMatchObject({ has_more: false, more: 0 });
    expect(all.entries.map(({ id }) => id)).toEqual([pending, done]);
    expect(all.entries[1]).toEqual({
      id: done,
      account_id: ada.id,
      token_id: ada.tokenId,
      status: "complete",
      created_at: DATE_TIME,
      finished_at: DATE_TIME,
      prunes_at: DATE_TIME,
      webhook: {
        url: webhookUrl,
        status: "due",
        attempts: 1,
        next_attempt_at: DATE_TIME,
        delivered_at: null,
        lease_ends_at: null,
      },
      items: { queued: 0, rendering: 0, done: 1, failed: 0 },
    });
    expect(await list("limit=1")).toMatchObject({ entries: [{ id: pending }], has_more: true, more: 1 });
    expect(await ids(`after=${pending}`)).toEqual([done]);
    expect(await ids(`account=${grace.id}`)).toEqual([pending]);
    expect(await ids("finished=true")).toEqual([done]);
    expect(await ids("finished=false")).toEqual([pending]);
    expect(await ids("delivery=due")).toEqual([done]);
    expect(await ids("delivery=abandoned")).toEqual([]);
    release();
    const reply = await service.admin("/batches?delivery=lost");
    expect(envelopeOf(reply).errors).toEqual({
      delivery: ["must be one of due, sending, delivered, abandoned"],
    });
  });

  it("return 404 if they do not exist", async () => {
    const { admin } = await openAdmin();
    for (const path of ["/batches/batch_0", "/batches?after=batch_0"]) {
      const reply = await admin(path);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(envelopeOf(reply).message).toBe("Batch not found: the id is unknown, or the batch was deleted.");
    }
  });
});

describe("deliveries", () => {
  it("are listed with the receiver's responses, and can be repeated", async () => {
    const service = await openAdmin({ worker: true });
    const [ada, grace] = [await service.customer(), await service.customer()];
    const id = await submitUndelivered(service, ada);
    const read = async (query: string): Promise<AdminList<DeliveryAttemptDocument>> =>
      (await service.read(`/deliveries?${query}`)) as AdminList<DeliveryAttemptDocument>;
    expect(await read(`batch=${id}`)).toEqual({
      entries: [
        {
          id: expect.stringMatching(/^dlv_[0-9a-f]{24}$/),
          batch_id: id,
          at: DATE_TIME,
          attempt: 1,
          duration_ms: expect.any(Number),
          delivered: false,
          status: 500,
          failure: null,
          body: "<p>down",
        },
      ],
      has_more: false,
    });
    const reply = await service.admin("/deliveries", { method: "POST", json: { batch_id: id } });
    expect(reply.status).toBe(202);
    expect(jsonOf(reply) as AdminBatch).toMatchObject({ id, webhook: { status: "due" } });
    service.clock.advance(1000); // the worker polls
    await service.whenLogged("webhook delivered");
    const { entries } = await read(`batch=${id}`);
    expect(entries.map(({ delivered, status }) => [delivered, status])).toEqual([
      [true, 204],
      [false, 500],
    ]);
    expect((await read(`account=${ada.id}&limit=1`)).has_more).toBe(true);
    expect((await read(`after=${entries[0]?.id}`)).entries).toEqual([entries[1]]);
    expect((await read(`account=${grace.id}`)).entries).toEqual([]);
    expect((await read("batch=batch_0")).entries).toEqual([]);
  });

  it("report why there was no response", async () => {
    const service = await openAdmin({ worker: true });
    const { token } = await service.customer();
    service.webhookSender.returnNext({ kind: "failed", reason: "timed-out" });
    await submit(service, { items: [{ url }], webhookUrl }, { token });
    await service.whenLogged("webhook not delivered");
    expect(await service.read("/deliveries")).toMatchObject({
      entries: [{ delivered: false, status: null, failure: "timed-out", body: null }],
    });
  });

  it("cannot be repeated if the batch has no webhook or does not exist", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    const { id } = batchOf(await submit(service, { items: [{ url }] }, { token }));
    const send = (json: object) => service.admin("/deliveries", { method: "POST", json });
    const without = await send({ batch_id: id });
    expect(without.status).toBe(422);
    expect(envelopeOf(without)).toMatchObject({
      code: "validation_failed",
      message: `Batch ${id} has no webhook.`,
    });
    expect((await send({ batch_id: "batch_0" })).status).toBe(404);
    expect(envelopeOf(await send({ batch: id })).errors).toEqual({
      batch_id: ["is required"],
      batch: ["is not a parameter; did you mean batch_id?"],
    });
  });
});
