import { describe, expect, it } from "vitest";
import { envelopeOf, openService, type RequestOptions } from "./open-service.ts";

const json = { "Content-Type": "application/json" };

describe("an account whose email address is not verified", () => {
  it.each<[string, string, RequestOptions]>([
    ["GET", "/v1/snap?width=wide&answer=xml&zzz=1", {}],
    ["POST", "/v1/captures?zzz=1", {}],
    ["POST", "/v1/captures", { headers: json, body: "{}" }],
    ["POST", "/v1/captures", { headers: json, body: "{" }],
    ["POST", "/v1/captures", { headers: { "Content-Type": "text/html" }, body: "<h1>Invoice 7</h1>" }],
    ["POST", "/v1/renders", { headers: { ...json, "Idempotency-Key": "" }, body: '{"items":[]}' }],
    ["POST", "/v1/renders", { headers: json, body: '{"items":[]}' }],
    ["POST", "/v1/renders", {}],
    ["GET", "/v1/renders?limit=0", {}],
    ["GET", "/v1/renders/batch_0", {}],
    ["GET", "/v1/renders/batch_0/deliveries?limit=0", {}],
    ["POST", "/v1/renders/batch_0/deliveries", {}],
    ["POST", "/v1/documents?documentTtl=0", {}],
    ["POST", "/v1/documents", { headers: { "Content-Type": "image/png" }, body: "PNG" }],
    ["GET", "/v1/documents/0", {}],
    ["DELETE", "/v1/documents/0", {}],
  ])("gets 403 before anything else is checked: %s %s %j", async (method, path, options) => {
    const { send, customer } = await openService();
    const { token } = await customer({ verified: false });
    const reply = await send(path, { ...options, method, token });
    expect(reply.status).toBe(403);
    expect(reply.headers["x-credits-remaining"]).toBe("1000");
    expect(envelopeOf(reply).code).toBe("email_unverified");
  });

  it("can read its usage", async () => {
    const { send, customer } = await openService();
    const { token } = await customer({ verified: false });
    expect((await send("/v1/usage", { token })).status).toBe(200);
  });

  it("gets the response even if it sends a large body first", async () => {
    const { send, customer } = await openService();
    const { token } = await customer({ verified: false });
    const body = JSON.stringify({ html: "x".repeat(900_000) });
    const reply = await send("/v1/captures", { method: "POST", token, headers: json, body });
    expect(envelopeOf(reply).code).toBe("email_unverified");
  });
});
