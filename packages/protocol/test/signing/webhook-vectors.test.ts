import { spawnSync } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { signStandardWebhook, signWebhook } from "../../src/index.ts";
import { WEBHOOKS } from "./vectors.ts";

// some bodies are not text
const TEXT_WEBHOOKS = WEBHOOKS.filter(({ body }) => body !== undefined);
const bodyOf = (base64: string): Buffer => Buffer.from(base64, "base64");

describe("webhook vectors", () => {
  it("have unique names", () => {
    expect(WEBHOOKS.length).toBeGreaterThanOrEqual(8);
    expect(new Set(WEBHOOKS.map(({ name }) => name)).size).toBe(WEBHOOKS.length);
  });

  it.each(TEXT_WEBHOOKS)("have text that matches their bytes: $name", ({ body = "", body_base64 }) => {
    expect(Buffer.from(body)).toEqual(bodyOf(body_base64));
  });

  it.each(WEBHOOKS)("have the signatures of both schemes: $name", (vector) => {
    const { id, timestamp, signing_secret, signature, standard_signature } = vector;
    const body = bodyOf(vector.body_base64);
    expect(signWebhook({ timestamp, body }, signing_secret)).toBe(signature);
    expect(signStandardWebhook({ id, timestamp, body }, signing_secret)).toBe(standard_signature);
  });
});

describe("openssl", { tags: ["openssl"] }, () => {
  it.each(WEBHOOKS)(
    "computes the same signatures: $name",
    ({ id, timestamp, body_base64, signing_secret, ...vector }) => {
      const body = bodyOf(body_base64);
      const digest = (prefix: string): Buffer =>
        hmacWithOpenssl(Buffer.concat([Buffer.from(prefix), body]), signing_secret);
      expect(digest(`snap-webhook-v1\n${timestamp}\n`).toString("hex")).toBe(vector.signature);
      expect(`v1,${digest(`${id}.${timestamp}.`).toString("base64")}`).toBe(vector.standard_signature);
    },
  );
});

describe("the Standard Webhooks library", () => {
  it.each(TEXT_WEBHOOKS)("computes the same signature: $name", (vector) => {
    const { id, timestamp, body = "", signing_secret, standard_signature } = vector;
    const library = new Webhook(Buffer.from(signing_secret), { format: "raw" });
    expect(library.sign(id, new Date(Number(timestamp) * 1000), body)).toBe(standard_signature);
  });

  it("verifies a delivery that is signed now", () => {
    const [secret, body, id] = ["signing secret", '{"id":"b1"}', "b1"];
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signStandardWebhook({ id, timestamp, body: Buffer.from(body) }, secret);
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    expect(new Webhook(secret, { format: "raw" }).verify(body, headers)).toEqual({ id: "b1" });
  });
});

function hmacWithOpenssl(message: Buffer, key: string): Buffer {
  const macopt = `hexkey:${Buffer.from(key).toString("hex")}`;
  const { stdout, stderr } = spawnSync(
    "openssl",
    ["dgst", "-sha256", "-mac", "HMAC", "-macopt", macopt, "-binary"],
    { input: message },
  );
  expect(stderr.toString()).toBe("");
  return stdout;
}
