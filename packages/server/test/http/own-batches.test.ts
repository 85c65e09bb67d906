import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { batchOf, submit } from "./batches.ts";
import {
  envelopeOf,
  jsonOf,
  openService,
  type Customer,
  type Reply,
  type TestService,
} from "./open-service.ts";

const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const url = "https://example.com/";
const webhookUrl = "https://example.com/hook";

/** Submits a batch, and waits until the receiver has rejected its webhook. */
async function submitUndelivered(service: TestService, { token }: Customer): Promise<string> {
  service.webhookSender.returnNext({ kind: "responded", status: 503, retryAfterMs: null, body: "later" });
  const reply = await submit(service, { items: [{ url }], webhookUrl }, { token });
  await service.whenLogged("webhook not delivered");
  return batchOf(reply).id;
}

describe("GET /renders", () => {
  it("lists the account's batches, newest first, without the operators' fields", async () => {
    const service = await openService({ worker: true });
    const [ada, grace] = [await service.customer(), await service.customer()];
    const first = await submitUndelivered(service, ada);
    service.clock.advance(1);
    await submit(service, { items: [{ url }] }, { token: grace.token });
    service.clock.advance(1);
    const second = batchOf(await submit(service, { items: [{ url: `${url}2` }] }, { token: ada.token })).id;
    const list = (query = ""): Promise<Reply> => service.send(`/v1/renders${query}`, { token: ada.token });
    const reply = await list();
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "cache-control": "no-store", "x-credits-limit": "1000" });
    const { entries } = jsonOf(reply) as { entries: unknown[] };
    expect(jsonOf(reply)).toEqual({
      entries: [
        expect.objectContaining({ id: second, webhook: null }),
        {
          id: first,
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
          },
          items: { queued: 0, rendering: 0, done: 1, failed: 0 },
        },
      ],
      has_more: false,
    });
    expect(jsonOf(await list("?limit=1"))).toMatchObject({ entries: [{ id: second }], has_more: true });
    expect(jsonOf(await list(`?after=${second}`))).toEqual({ entries: [entries[1]], has_more: false });
  });

  it.each([
    ["limit=0", { limit: ["must be an integer from 1 to 200"] }],
    ["account=acct_0", { account: ["is not a parameter"] }],
  ])("rejects ?%s", async (query, errors) => {
    const { send, customer } = await openService();
    const { token } = await customer();
    const reply = await send(`/v1/renders?${query}`, { token });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toMatchObject({ code: "validation_failed", errors });
  });
});

describe("the deliveries of a batch", () => {
  it("are listed, and repeated with the same id and a new signature", async () => {
    const service = await openService({ worker: true });
    const customer = await service.customer();
    const { token, signingSecret } = customer;
    const id = await submitUndelivered(service, customer);
    service.clock.advance(2000);
    const path = `/v1/renders/${id}/deliveries`;
    expect(jsonOf(await service.send(path, { token }))).toEqual({
      entries: [
        {
          id: expect.stringMatching(/^dlv_[0-9a-f]{24}$/),
          batch_id: id,
          at: DATE_TIME,
          attempt: 1,
          duration_ms: 0,
          delivered: false,
          status: 503,
          failure: null,
          body: "later",
        },
      ],
      has_more: false,
    });
    const again = await service.send(path, { method: "POST", token });
    expect(again.status).toBe(202);
    expect(again.headers["cache-control"]).toBe("no-store");
    expect(batchOf(again)).toMatchObject({ id, status: "complete", webhook: { delivered_at: null } });
    service.clock.advance(1000); // the worker polls
    await service.whenLogged("webhook delivered");
    const [first, second] = service.webhookSender.requests.map(({ headers, body }) => {
      const timestamp = String(headers["X-Webhook-Timestamp"]);
      const signed = Buffer.concat([Buffer.from(`snap-webhook-v1\n${timestamp}\n`), body]);
      const signature = createHmac("sha256", signingSecret).update(signed).digest("hex");
      expect(headers["X-Webhook-Signature"]).toBe(signature);
      return { id: headers["X-Webhook-Id"], timestamp: Number(timestamp) };
    });
    expect([first?.id, second?.id]).toEqual([id, id]);
    expect(second?.timestamp).toBeGreaterThan(first?.timestamp ?? Infinity);
    const { webhook } = batchOf(await service.send(`/v1/renders/${id}`, { token }));
    expect(webhook?.delivered_at).toEqual(DATE_TIME);
  });

  it("cannot be repeated before the batch is complete, or without a webhook", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const [unfinished, without] = [
      batchOf(await submit(service, { items: [{ url }], webhookUrl }, { token })),
      batchOf(await submit(service, { items: [{ url }] }, { token })),
    ];
    for (const { id } of [unfinished, without]) {
      const reply = await service.send(`/v1/renders/${id}/deliveries`, { method: "POST", token });
      expect(reply.status).toBe(422);
      expect(envelopeOf(reply)).toMatchObject({
        code: "validation_failed",
        errors: { id: [expect.any(String)] },
      });
    }
  });

  it("count as submissions when they are repeated", async () => {
    const service = await openService({ worker: true });
    const customer = await service.customer();
    const id = await submitUndelivered(service, customer);
    const statuses: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      const path = `/v1/renders/${id}/deliveries`;
      statuses.push((await service.send(path, { method: "POST", token: customer.token })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it("of another account are not found, exactly like those of an unknown batch", async () => {
    const service = await openService({ worker: true });
    const [ada, grace] = [await service.customer(), await service.customer()];
    const id = await submitUndelivered(service, ada);
    const replies: unknown[] = [];
    for (const batchId of [id, "batch_0a1b2c3d4e5f60718293a4b5", "%ff"])
      for (const [method, path] of [
        ["GET", `/v1/renders/${batchId}/deliveries`],
        ["POST", `/v1/renders/${batchId}/deliveries`],
        ["GET", `/v1/renders?after=${batchId}`],
        ["GET", `/v1/renders/${batchId}`],
      ] as const) {
        const reply = await service.send(path, { method, token: grace.token });
        expect([method, path, reply.status]).toEqual([method, path, 404]);
        const { request_id: requestId, ...envelope } = envelopeOf(reply);
        expect(requestId).toBe(reply.headers["x-request-id"]);
        replies.push(envelope);
      }
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(jsonOf(await service.send("/v1/renders", { token: grace.token }))).toEqual({
      entries: [],
      has_more: false,
    });
    expect(service.webhookSender.requests).toHaveLength(1);
  });

  it("are available only with a token", async () => {
    const { send } = await openService();
    for (const [method, path] of [
      ["GET", "/v1/renders"],
      ["GET", "/v1/renders/batch_0/deliveries"],
      ["POST", "/v1/renders/batch_0/deliveries"],
    ] as const)
      expect((await send(path, { method })).status).toBe(401);
  });
});
