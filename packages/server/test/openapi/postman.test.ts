import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { postmanCollection } from "../../src/openapi/postman.ts";
import { openService } from "../http/open-service.ts";

const collection = postmanCollection("https://snap.example.com");

describe("the Postman collection", () => {
  it("sets the base URL, leaves the token empty, and sends it as a bearer token", () => {
    expect(collection.info.schema).toBe(
      "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    );
    expect(collection.variable).toEqual([
      { key: "baseUrl", value: "https://snap.example.com/v1", type: "string" },
      { key: "token", value: "", type: "string" },
      { key: "signingSecret", value: "", type: "string" },
      { key: "batchId", value: "", type: "string" },
      { key: "documentUrl", value: "", type: "string" },
    ]);
    expect(collection.auth).toEqual({
      type: "bearer",
      bearer: [{ key: "token", value: "{{token}}", type: "string" }],
    });
  });

  it("sends tokenId and signature, but no bearer token, in the signed request", () => {
    const signed = collection.item.find(({ name }) => name === "Signed URL")?.request;
    expect(signed?.auth).toEqual({ type: "noauth" });
    expect(signed?.url.path).toEqual(["snap", "signed"]);
    const sent = signed?.url.query?.filter(({ disabled }) => !disabled).map(({ key }) => key);
    expect(sent).toEqual(["url", "tokenId", "signature"]);
  });

  it.each(["x".repeat(48), "id|x", ""])(
    "does not put a token that cannot sign URLs into a URL: %j",
    (token) => {
      const script = collection.item.find(({ name }) => name === "Signed URL")?.event?.[0]?.script.exec ?? [];
      const variables = new Map([["token", token]]).set("signingSecret", "a secret");
      const pm = { variables, request: { url: { query: [] } } };
      expect(() => runInNewContext(script.join("\n"), { pm })).toThrow("Set the variable token");
      expect(Object.fromEntries(variables)).toEqual({ token, signingSecret: "a secret" });
    },
  );

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
      variable: [{ key: "id", value: "{{batchId}}" }],
    });
  });

  it("has raw URLs that match their parts", () => {
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
