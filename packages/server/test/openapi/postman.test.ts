import { describe, expect, it } from "vitest";
import { postmanCollection } from "../../src/openapi/postman.ts";
import { openService, signedQuery } from "../http/open-service.ts";

const collection = postmanCollection("https://snap.example.com");

/** Statuses of the responses that are not 200. */
const STATUSES: Readonly<Record<string, number>> = {
  "Submit a batch": 202,
  "Upload a document": 201,
  // the batch has no webhook
  "Send a webhook again": 422,
};

describe("the Postman collection", () => {
  it("sets the base URL, leaves the token empty, and sends it as a bearer token", () => {
    expect(collection.info.schema).toBe(
      "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    );
    expect(collection.variable).toEqual([
      { key: "baseUrl", value: "https://snap.example.com/v1", type: "string" },
      { key: "token", value: "", type: "string" },
    ]);
    expect(collection.auth).toEqual({
      type: "bearer",
      bearer: [{ key: "token", value: "{{token}}", type: "string" }],
    });
    expect(collection.item.map(({ name }) => name)).toEqual([
      "Screenshot",
      "Full page",
      "PDF",
      "Signed URL",
      "HTML to PDF",
      "Submit a batch",
      "List batches",
      "Poll a batch",
      "Webhook deliveries",
      "Send a webhook again",
      "Upload a document",
      "Usage",
      "OpenAPI description",
      "This collection",
    ]);
  });

  it("works unchanged, except for the signature and the batch id", async () => {
    const { send, customer } = await openService();
    const { token, tokenId, signingSecret } = await customer();
    const types: unknown[] = [];
    let batchId = "";
    for (const { name, request } of collection.item) {
      const { raw, query = [] } = request.url;
      const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value] as const);
      const pairs = [["tokenId", String(tokenId)], ...sent.filter(([key]) => key === "url")] as const;
      const path =
        name === "Signed URL"
          ? `/v1/snap/signed?${signedQuery(Object.fromEntries(pairs), signingSecret)}`
          : raw.replace("{{baseUrl}}", "/v1").replace(":id", batchId);
      const reply = await send(path, {
        method: request.method,
        headers: Object.fromEntries((request.header ?? []).map(({ key, value }) => [key, value])),
        ...(request.body && { body: request.body.raw }),
        ...(request.auth?.type !== "noauth" && { token }),
      });
      expect([name, reply.status]).toEqual([name, STATUSES[name] ?? 200]);
      if (name === "Submit a batch") batchId = (JSON.parse(reply.body.toString()) as { id: string }).id;
      types.push(reply.headers["content-type"]);
    }
    const json = "application/json; charset=utf-8";
    expect(types).toEqual([
      "image/png",
      "image/webp",
      "application/pdf",
      "image/png",
      "application/pdf",
      json,
      json,
      json,
      json,
      json,
      json,
      json,
      json,
      json,
    ]);
  });

  it("sends tokenId and signature, but no bearer token, in the signed request", () => {
    const signed = collection.item.find(({ name }) => name === "Signed URL")?.request;
    expect(signed?.auth).toEqual({ type: "noauth" });
    expect(signed?.url.path).toEqual(["snap", "signed"]);
    const sent = signed?.url.query?.filter(({ disabled }) => !disabled).map(({ key }) => key);
    expect(sent).toEqual(["url", "tokenId", "signature"]);
  });

  it("submits JSON, and has a variable for the batch id", () => {
    const requestOf = (name: string) => collection.item.find((item) => item.name === name)?.request;
    expect(requestOf("Submit a batch")).toMatchObject({
      method: "POST",
      header: [
        { key: "Content-Type", value: "application/json" },
        { key: "Idempotency-Key", value: "{{$guid}}" },
      ],
      body: { mode: "raw", options: { raw: { language: "json" } } },
    });
    expect(JSON.parse(requestOf("Submit a batch")?.body?.raw ?? "")).toEqual({
      items: [
        { url: "https://example.com/", format: "webp", fullPage: true },
        { url: "https://example.com/", pdf: true, paperFormat: "letter" },
      ],
    });
    expect(requestOf("Poll a batch")?.url).toMatchObject({
      path: ["renders", ":id"],
      variable: [{ key: "id", value: "" }],
    });
  });

  it("has a raw URL that matches its parts", () => {
    for (const { request } of collection.item) {
      const { raw, path, query = [] } = request.url;
      const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
      const [address, text = ""] = raw.split("?");
      expect(address).toBe(`{{baseUrl}}/${path.join("/")}`);
      expect([...new URLSearchParams(text)]).toEqual(sent);
    }
  });

  it("equals the served collection", async () => {
    const { send } = await openService();
    expect(JSON.parse((await send("/v1/postman.json")).body.toString())).toEqual(collection);
  });
});
