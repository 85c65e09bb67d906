import type { RenderBatch } from "@snap/protocol";
import vectors from "@snap/protocol/vectors/webhooks.json" with { type: "json" };
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Server } from "node:http";
import { listen } from "./listen.ts";

/** Creates a receiver from a signing secret and a handler for batches. */
export type OpenReceiver = (signingSecret: string, handle: (batch: RenderBatch) => unknown) => Server;

/** Sends deliveries to a receiver at `/webhooks/snap`, as the service does, and checks its responses and calls. */
export async function checkReceiver(open: OpenReceiver): Promise<void> {
  const [vector] = vectors.cases;
  assert(vector?.name === "a finished batch");
  const { id, signing_secret: secret } = vector;
  const body = Buffer.from(vector.body_base64, "base64");
  const sign = (timestamp: string): string =>
    createHmac("sha256", secret).update(`snap-webhook-v1\n${timestamp}\n`).update(body).digest("hex");
  assert.equal(sign(vector.timestamp), vector.signature);

  const handled: RenderBatch[] = [];
  let isBroken = true;
  const secondDelivery = Promise.withResolvers<void>();
  const server = open(secret, async (batch) => {
    if (isBroken) throw new Error("simulated database failure");
    handled.push(batch);
    await secondDelivery.promise;
  });
  const receiver = await listen(server);
  const post = async (timestamp: string, bytes = body): Promise<number> => {
    const headers = {
      "Content-Type": "application/json",
      "X-Webhook-Id": id,
      "X-Webhook-Timestamp": timestamp,
      "X-Webhook-Signature": sign(timestamp),
    };
    const response = await fetch(`${receiver.origin}/webhooks/snap`, {
      method: "POST",
      headers,
      body: bytes,
    });
    await response.arrayBuffer();
    return response.status;
  };
  const now = String(Math.floor(Date.now() / 1000));

  assert.equal(await post(now), 500, "a failed handler requests another delivery");
  isBroken = false;
  let deliveries = 0;
  server.on("request", (request) =>
    request.once("end", () => setImmediate(() => (deliveries += 1) === 2 && secondDelivery.resolve())),
  );
  assert.deepEqual(
    await Promise.all([post(now), post(now)]),
    [204, 204],
    "a delivery during the call is acknowledged",
  );
  assert.equal(await post(now), 204, "a delivery after the call is acknowledged");
  assert.deepEqual(handled, [JSON.parse(body.toString())], "repeated deliveries are handled once");
  assert.equal(await post(now, Buffer.from(body.toString().replace("done", "gone"))), 400, "forged");
  assert.equal(await post(vector.timestamp), 400, "a replayed old delivery");
  assert.match(
    String((await fetch(`${receiver.origin}/webhooks/snap`)).status),
    /^40[45]$/,
    "only POST is supported",
  );
  await receiver.close();
}
