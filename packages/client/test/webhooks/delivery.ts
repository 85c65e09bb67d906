import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import type { RenderBatch } from "@snap/protocol";

export const SECRET = "s3cret-of-token-7";
export const OLD_SECRET = "s3cret-of-token-7-before";

export const BATCH: RenderBatch = {
  id: "b1",
  status: "complete",
  created_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:09.000Z",
  prunes_at: "2026-01-08T00:00:09.000Z",
  webhook: { url: "https://receiver.example/", delivered_at: null },
  items: [
    {
      id: "i1",
      url: "https://例え.テスト/é",
      status: "done",
      error: null,
      etag: '"0a"',
      target_status: 200,
      expires_at: "2026-01-02T00:00:09.000Z",
      signed_url: null,
      credit_cost: 1,
    },
  ],
};

export interface TestDelivery {
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

export interface DeliveryFacts {
  readonly body?: string | Buffer;
  readonly timestamp?: string;
  readonly id?: string;
  readonly secret?: string;
}

/** Returns a signed delivery. Computes the signature without the package's code. */
export function deliver({
  body = JSON.stringify(BATCH),
  timestamp = String(Math.floor(Date.now() / 1000)),
  id = "b1",
  secret = SECRET,
}: DeliveryFacts = {}): TestDelivery {
  const bytes = Buffer.from(body);
  const signature = createHmac("sha256", secret)
    .update(`snap-webhook-v1\n${timestamp}\n`)
    .update(bytes)
    .digest("hex");
  return {
    body: bytes,
    headers: { "X-Webhook-Id": id, "X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": signature },
  };
}

/** Returns the same signature, computed by the openssl command. */
export function signWithOpenssl(timestamp: string, body: Buffer): string {
  const input = Buffer.concat([Buffer.from(`snap-webhook-v1\n${timestamp}\n`), body]);
  const { stdout } = spawnSync("openssl", ["dgst", "-sha256", "-hmac", SECRET, "-r"], { input });
  return stdout.toString().split(" ")[0] ?? "";
}
