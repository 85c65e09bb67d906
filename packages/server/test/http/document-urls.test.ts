import type { StoredDocument } from "@snap/protocol";
import { describe, expect, it } from "vitest";
import { batchOf, submit } from "./batches.ts";
import {
  envelopeOf,
  jsonOf,
  openService,
  signedQuery,
  type Customer,
  type TestService,
} from "./open-service.ts";

/* A stored document's url in every request that has a url. */

/** Uploads a page for the customer's account. */
async function upload({ send }: TestService, { token }: Customer, html: string): Promise<StoredDocument> {
  const headers = { "Content-Type": "text/html" };
  const reply = await send("/v1/documents", { method: "POST", body: html, token, headers });
  expect(reply.status).toBe(201);
  return jsonOf(reply) as StoredDocument;
}

/** Returns the page that the renderer received for its nth render. */
async function pageOf({ renderer }: TestService, index: number): Promise<string> {
  const file = await renderer.options[index]?.document?.readFile("index.html");
  return Buffer.from(file?.bytes ?? []).toString();
}

describe("GET /v1/snap for a document", () => {
  it("renders once, then hits the cache; a caller that has the rendering gets 304", async () => {
    const service = await openService();
    const customer = await service.customer();
    const { token } = customer;
    const { url } = await upload(service, customer, "<h1>Invoice 7</h1>");
    const miss = await service.snap({ url, pdf: "true" }, { token });
    expect(miss.headers).toMatchObject({ "x-cache": "MISS", "x-credits-remaining": "999" });
    expect(await pageOf(service, 0)).toBe("<h1>Invoice 7</h1>");
    const again = await upload(service, customer, "<h1>Invoice 7</h1>");
    expect(again.url).toBe(url);
    const hit = await service.snap({ url, pdf: "true" }, { token });
    expect(hit.headers).toMatchObject({ "x-cache": "HIT", "x-credits-remaining": "999" });
    const headers = { "If-None-Match": String(miss.headers.etag) };
    const unchanged = await service.snap({ url, pdf: "true" }, { token, headers });
    expect(unchanged.status).toBe(304);
    expect(service.renderer.calls).toHaveLength(1);
  });

  it("responds identically to another account, for a deleted document, and for an unknown one", async () => {
    const service = await openService();
    const [owner, other] = [await service.customer(), await service.customer()];
    const { id, url } = await upload(service, owner, "<h1>Invoice 7</h1>");
    const foreign = await service.snap({ url }, { token: other.token });
    await service.send(`/v1/documents/${id}`, { method: "DELETE", token: owner.token });
    const deleted = await service.snap({ url }, { token: owner.token });
    const unknownUrl = `https://documents.snap.invalid/${"0".repeat(64)}/`;
    const unknown = await service.snap({ url: unknownUrl }, { token: owner.token });
    for (const reply of [foreign, deleted, unknown]) {
      expect(reply.status).toBe(422);
      expect(envelopeOf(reply)).toEqual({
        code: "target_unreachable",
        message:
          "The document is not stored: this account never uploaded it, or it was deleted or has expired. Upload it.",
        request_id: reply.headers["x-request-id"],
      });
      expect(reply.headers["x-credits-remaining"]).toBe("1000");
    }
    expect(service.renderer.calls).toEqual([]);
  });
});

describe("a signed URL for a document", () => {
  it("renders for everyone who has it, with headers that allow embedding", async () => {
    const service = await openService();
    const customer = await service.customer();
    const { url } = await upload(service, customer, "<h1>Card</h1>");
    const parameters = { url, width: 1200, height: 630, tokenId: customer.tokenId };
    const query = signedQuery(parameters, customer.signingSecret);
    const reply = await service.send(`/v1/snap/signed?${query}`);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=86400",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect(await pageOf(service, 0)).toBe("<h1>Card</h1>");
  });

  it("is useless with another account's token", async () => {
    const service = await openService();
    const [owner, other] = [await service.customer(), await service.customer()];
    const { url } = await upload(service, owner, "<h1>Card</h1>");
    const query = signedQuery({ url, tokenId: other.tokenId }, other.signingSecret);
    const reply = await service.send(`/v1/snap/signed?${query}`);
    expect(envelopeOf(reply).code).toBe("target_unreachable");
  });
});

describe("a batch of documents", () => {
  it("renders 20 invoices, with one webhook", async () => {
    const service = await openService({ worker: true });
    const customer = await service.customer();
    const pages = Array.from({ length: 20 }, (_, index) => `<h1>Invoice ${index}</h1>`);
    const documents = await Promise.all(pages.map((page) => upload(service, customer, page)));
    const items = documents.map(({ url }) => ({ url, pdf: true, paperFormat: "a4" }));
    const webhookUrl = "https://example.com/hook";
    const submitted = await submit(service, { items, webhookUrl }, { token: customer.token });
    expect(submitted.status).toBe(202);
    await service.webhookSender.whenSent(1);
    const [delivery] = service.webhookSender.requests;
    const batch = JSON.parse(Buffer.from(delivery?.body ?? []).toString()) as ReturnType<typeof batchOf>;
    expect(batch).toMatchObject({ id: batchOf(submitted).id, status: "complete" });
    expect(batch.items.map(({ url, status, credit_cost }) => [url, status, credit_cost])).toEqual(
      documents.map(({ url }) => [url, "done", 1]),
    );
    const rendered = await Promise.all(pages.map((_, index) => pageOf(service, index)));
    expect(rendered.toSorted()).toEqual(pages.toSorted());
    const link = new URL(batch.items[0]?.signed_url ?? "");
    expect((await service.send(link.pathname + link.search)).headers).toMatchObject({
      "content-type": "application/pdf",
      "x-cache": "HIT",
    });
    expect(service.webhookSender.requests).toHaveLength(1);
  });
});
