import { describe, expect, it } from "vitest";
import { postmanCollection } from "../../src/openapi/postman.ts";
import { openService, signedQuery } from "../http/open-service.ts";

const collection = postmanCollection("https://snap.example.com");

describe("the Postman collection", () => {
  it("has the address filled in, the token empty, and sends it as bearer", () => {
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
      "Usage",
      "OpenAPI description",
      "This collection",
    ]);
  });

  it("runs as it is, but for the signature, which nobody else can make", async () => {
    const { ask, customer } = await openService();
    const { token, tokenId, signingSecret } = await customer();
    const types: unknown[] = [];
    for (const { name, request } of collection.item) {
      const { raw, query = [] } = request.url;
      const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value] as const);
      const pairs = [["tokenId", String(tokenId)], ...sent.filter(([key]) => key === "url")] as const;
      const path =
        name === "Signed URL"
          ? `/v1/snap/signed?${signedQuery(Object.fromEntries(pairs), signingSecret)}`
          : raw.replace("{{baseUrl}}", "/v1");
      const reply = await ask(path, request.auth?.type === "noauth" ? {} : { token });
      expect(reply.status).toBe(200);
      types.push(reply.headers["content-type"]);
    }
    const json = "application/json; charset=utf-8";
    expect(types).toEqual(["image/png", "image/webp", "application/pdf", "image/png", json, json, json]);
  });

  it("the signed request sends tokenId and signature, and no bearer token", () => {
    const signed = collection.item.find(({ name }) => name === "Signed URL")?.request;
    expect(signed?.auth).toEqual({ type: "noauth" });
    expect(signed?.url.path).toEqual(["snap", "signed"]);
    const sent = signed?.url.query?.filter(({ disabled }) => !disabled).map(({ key }) => key);
    expect(sent).toEqual(["url", "tokenId", "signature"]);
  });

  it("says the same in the address and in its parts", () => {
    for (const { request } of collection.item) {
      const { raw, path, query = [] } = request.url;
      const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
      const [address, text = ""] = raw.split("?");
      expect(address).toBe(`{{baseUrl}}/${path.join("/")}`);
      expect([...new URLSearchParams(text)]).toEqual(sent);
    }
  });

  it("is what is served", async () => {
    const { ask } = await openService();
    expect(JSON.parse((await ask("/v1/postman.json")).body.toString())).toEqual(collection);
  });
});
