import { describe, expect, it } from "vitest";
import { batchOf, submit } from "../http/batches.ts";
import {
  envelopeOf,
  openService,
  signedQuery,
  type Customer,
  type Reply,
  type TestService,
} from "../http/open-service.ts";

const url = "https://example.com/";
const SUSPENDED = [
  403,
  "account_suspended",
  "This account is suspended; contact the operator of this service.",
];

function outcomeOf(reply: Reply): unknown {
  const { code, message } = envelopeOf(reply);
  return [reply.status, code, message];
}

function sendSigned(
  { send }: TestService,
  { tokenId, signingSecret }: Customer,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return send(`/v1/snap/signed?${signedQuery({ url, tokenId }, signingSecret)}`, { headers });
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** A request at every entry point of a service, with a rendering that is cached and one that is not. */
async function sendToEveryEntryPoint(
  service: TestService,
  customer: Customer,
  etag: string,
): Promise<Reply[]> {
  const { token } = customer;
  const unchanged = { "If-None-Match": etag };
  const json = { "Content-Type": "application/json" };
  const html = { "Content-Type": "text/html" };
  return Promise.all([
    service.snap({ url }, { token }),
    service.snap({ url }, { token, headers: unchanged }),
    service.snap({ url: `${url}new` }, { token }),
    sendSigned(service, customer),
    sendSigned(service, customer, unchanged),
    service.send("/v1/captures", { method: "POST", token, headers: json, body: JSON.stringify({ url }) }),
    service.send("/v1/documents", { method: "POST", token, headers: html, body: "<h1>Hello</h1>" }),
    submit(service, { items: [{ url }] }, { token }),
    service.send("/v1/renders/batch_1", { token }),
    service.send("/v1/usage", { token }),
    service.send("/mcp", { method: "POST", token, headers: json, body: JSON.stringify(INITIALIZE) }),
  ]);
}

describe("a suspended account", () => {
  it("is rejected at every entry point, even for cached and unchanged renderings, until it is resumed", async () => {
    const service = await openService();
    const customer = await service.customer();
    const etag = String((await service.snap({ url }, { token: customer.token })).headers.etag);
    await service.engine.accounts.suspend(customer.id);

    for (const reply of await sendToEveryEntryPoint(service, customer, etag)) {
      expect(outcomeOf(reply)).toEqual(SUSPENDED);
      expect(reply.headers).not.toHaveProperty("retry-after");
      expect(reply.headers).not.toHaveProperty("etag");
    }
    expect(service.renderer.calls).toHaveLength(1);

    await service.engine.accounts.resume(customer.id);
    const statuses = (await sendToEveryEntryPoint(service, customer, etag)).map(({ status }) => status);
    expect(statuses).toEqual([200, 304, 200, 200, 304, 200, 201, 202, 404, 200, 200]);
    expect((await service.snap({ url }, { token: customer.token })).headers["x-credits-remaining"]).toBe(
      "998",
    );
  });

  it("is not revealed to callers without its secrets", async () => {
    const service = await openService();
    const customer = await service.customer();
    await service.engine.accounts.suspend(customer.id);
    const forged = await sendSigned(service, { ...customer, signingSecret: "another" });
    expect([forged.status, envelopeOf(forged).code]).toEqual([403, "invalid_signature"]);
    const guessed = await service.snap({ url }, { token: `${customer.tokenId}|${"x".repeat(43)}` });
    expect([guessed.status, envelopeOf(guessed).code]).toEqual([401, "unauthenticated"]);
  });

  it("is rejected as suspended even if its email address is not verified", async () => {
    const service = await openService();
    const customer = await service.customer({ verified: false });
    await service.engine.accounts.suspend(customer.id);
    expect(outcomeOf(await service.snap({ url }, { token: customer.token }))).toEqual(SUSPENDED);
    expect(outcomeOf(await sendSigned(service, customer))).toEqual(SUSPENDED);
  });

  it("gets the rendering of a request that was in flight", async () => {
    const service = await openService();
    const customer = await service.customer();
    const release = service.renderer.hold();
    const reply = service.snap({ url }, { token: customer.token });
    await service.renderer.whenCalled(1);
    await service.engine.accounts.suspend(customer.id);
    release();
    expect((await reply).status).toBe(200);
  });

  it("gets its batch's webhook, but unstarted items fail uncharged, and its signed URLs stop working", async () => {
    const service = await openService({ worker: true });
    const customer = await service.customer();
    const { token } = customer;
    // more items than can start before the account is suspended
    const release = service.renderer.hold();
    const items = Array.from({ length: 20 }, (_, index) => ({ url: `${url}${index}` }));
    const webhookUrl = "https://hooks.example.com/";
    const { id } = batchOf(await submit(service, { items, webhookUrl }, { token }));
    await service.renderer.whenCalled(1);
    await service.engine.accounts.suspend(customer.id);
    release();
    await service.whenLogged("webhook delivered");

    await service.engine.accounts.resume(customer.id);
    const batch = batchOf(await service.send(`/v1/renders/${id}`, { token }));
    const failed = batch.items.filter(({ status }) => status === "failed");
    expect(batch.status).toBe("complete");
    expect(failed.length).toBe(20 - service.renderer.calls.length);
    expect(failed.length).toBeGreaterThan(0);
    for (const item of failed)
      expect([item.error?.code, item.error?.message, item.credit_cost]).toEqual([
        "account_suspended",
        SUSPENDED[2],
        0,
      ]);
    const credits = await service.send("/v1/usage", { token });
    expect(credits.headers["x-credits-remaining"]).toBe(String(1000 - service.renderer.calls.length));
    const link = new URL(String(batch.items.find(({ status }) => status === "done")?.signed_url));
    expect((await service.send(`${link.pathname}${link.search}`)).status).toBe(200);
    await service.engine.accounts.suspend(customer.id);
    expect(outcomeOf(await service.send(`${link.pathname}${link.search}`))).toEqual(SUSPENDED);
  });
});
