import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import type { DeliveryAttempt } from "../../src/batches/deliver.ts";
import { createEngine } from "../../src/create-engine.ts";
import { createWebhookSender } from "../../src/egress/webhook-sender.ts";
import { systemResolver } from "../../src/egress/names/system-resolver.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";

/* Sends a finished batch's webhook with the real sender to a real, misbehaving receiver. */

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Responder = (response: ServerResponse) => void;

/** Starts a receiver that responds to each request with the next responder, and repeats the last one. */
async function openReceiver(
  responders: readonly Responder[],
): Promise<{ url: string; requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const respond = responders[Math.min(requests.length, responders.length - 1)];
      requests.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      respond?.(response);
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/hook`, requests };
}

const respondWith =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(status, headers).end("thank you");

const respondEndlessly: Responder = (response) => {
  response.writeHead(200);
  const more = (): void => {
    while (response.writable && response.write(Buffer.alloc(16_384)));
    response.once("drain", more);
  };
  more();
};

/** Delivers a batch's webhook to the receiver; resolves with all attempts once the last one has finished. */
async function deliverTo(
  url: string,
  allowed: NonNullable<TargetPolicy["allow"]>,
  timeoutMs = 10_000,
): Promise<DeliveryAttempt[]> {
  const policy: TargetPolicy = { allow: allowed, ownHostnames: [] };
  const attempts: DeliveryAttempt[] = [];
  const ended = Promise.withResolvers<void>();
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    webhookSender: createWebhookSender({ policy, resolver: systemResolver, timeoutMs }),
    secretKey: "a key for these tests",
    // accepts the host at submission, so the test reaches the check at connection time
    targets: loopback,
    resolver: { resolve: async () => ["93.184.215.14"] },
    webhookRetryDelaysMs: [10, 10, 10, 10],
    onDeliveryAttempt(attempt) {
      attempts.push(attempt);
      if (attempt.retryAt === null) ended.resolve();
    },
  });
  onTestFinished(() => engine.close());
  const account = await engine.accounts.create({
    email: "a@example.com",
    planSlug: "starter",
    verified: true,
  });
  const { record } = await engine.tokens.create({ accountId: account.id });
  engine.startWorker();
  await engine.batches.submit({
    principal: { account, token: record, balance: null },
    document: { items: [{ url: "https://example.com/" }], webhookUrl: url },
  });
  await ended.promise;
  return attempts;
}

const cidr = { kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null } as const;
const loopback: TargetPolicy = { allow: [cidr], ownHostnames: [] };

describe("a real receiver", () => {
  it("gets the webhook, with the same id, after it failed, hung, redirected and sent an endless response", async () => {
    const redirectTarget = await openReceiver([respondWith(200)]);
    const { url, requests } = await openReceiver([
      respondWith(500),
      () => {},
      respondWith(302, { Location: redirectTarget.url }),
      respondEndlessly,
      respondWith(200),
    ]);
    const attempts = await deliverTo(url, [cidr], 1_500);
    expect(attempts.map(({ outcome, delivered }) => [outcome, delivered])).toEqual([
      [{ kind: "responded", status: 500, retryAfterMs: null, body: "thank you" }, false],
      [{ kind: "failed", reason: "timed-out" }, false],
      [{ kind: "responded", status: 302, retryAfterMs: null, body: "thank you" }, false],
      [{ kind: "failed", reason: "broken" }, false],
      [{ kind: "responded", status: 200, retryAfterMs: null, body: "thank you" }, true],
    ]);
    expect(redirectTarget.requests).toEqual([]);
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ headers }) => headers["x-webhook-id"])).size).toBe(1);
    expect(requests[0]).toMatchObject({
      path: "/hook",
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    const id = requests[0]?.headers["x-webhook-id"];
    for (const { body } of requests) expect(JSON.parse(body)).toMatchObject({ id, status: "complete" });
  });

  it("is never reached if its host is private at connection time", async () => {
    const { url, requests } = await openReceiver([respondWith(200)]);
    const attempts = await deliverTo(url, []);
    expect(attempts).toHaveLength(5);
    expect(attempts.every(({ outcome }) => outcome.kind === "failed" && outcome.reason === "blocked")).toBe(
      true,
    );
    expect(requests).toEqual([]);
  });
});
