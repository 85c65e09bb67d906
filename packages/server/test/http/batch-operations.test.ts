import { hostname } from "node:os";
import { SnapError } from "@snap/engine";
import type { WebhookOutcome } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { batchOf, submit } from "./batches.ts";
import { openService, type TestService } from "./open-service.ts";

/*
 * Batches in the log and in the metrics.
 */

const url = "https://example.com/";
const webhookUrl = "https://example.com/hook/topsecret";

async function readMetrics({ send }: TestService): Promise<string[]> {
  const text = (await send("/metrics")).body.toString();
  return text.split("\n").filter((line) => /^snap_(batch|webhook|credits|http)/.test(line));
}

const instance = `${hostname()}:${process.pid}`;

describe("the log", () => {
  it("has a line for each finished item, without URLs", async () => {
    const service = await openService({ worker: true });
    const { id: account, token } = await service.customer();
    service.renderer.failNext(new SnapError("render_timeout", "too slow"));
    const items = [{ url: `${url}topsecret` }];
    const failed = batchOf(await submit(service, { items }, { token }));
    await service.whenLogged("batch item failed");
    const done = batchOf(await submit(service, { items }, { token }));
    await service.whenLogged("batch item done");
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(service.lines.filter(({ msg }) => String(msg).startsWith("batch item"))).toEqual([
      {
        instance,
        level: "info",
        time,
        msg: "batch item failed",
        batch: failed.id,
        item: failed.items[0]?.id,
        account,
        status: "failed",
        code: "render_timeout",
        credit_cost: 0,
      },
      {
        instance,
        level: "info",
        time,
        msg: "batch item done",
        batch: done.id,
        item: done.items[0]?.id,
        account,
        status: "done",
        credit_cost: 1,
      },
    ]);
    expect(JSON.stringify(service.lines)).not.toContain("topsecret");
  });

  it("has a line for each delivery attempt, with only the receiver's origin", async () => {
    const service = await openService({ worker: true });
    const { id: account, token } = await service.customer();
    service.webhookSender.returnNext({
      kind: "responded",
      status: 500,
      retryAfterMs: 60_000,
      body: "\nCannot POST /hook/topsecret\nat line 7",
    });
    const document = { items: [{ url }], webhookUrl };
    const refused = batchOf(await submit(service, document, { token }));
    await service.whenLogged("webhook not delivered");
    const accepted = batchOf(await submit(service, document, { token }));
    await service.whenLogged("webhook delivered");
    const receiver = "https://example.com";
    const facts = { instance, time: expect.any(String), account, receiver, attempt: 1 };
    expect(service.lines.filter(({ msg }) => String(msg).startsWith("webhook"))).toEqual([
      {
        ...facts,
        level: "warn",
        msg: "webhook not delivered",
        batch: refused.id,
        outcome: "http_5xx",
        status: 500,
        response: "Cannot POST [path]",
        retry_at: "2026-03-01T12:01:00.000Z",
      },
      { ...facts, level: "info", msg: "webhook delivered", batch: accepted.id, outcome: "delivered" },
    ]);
    expect(JSON.stringify(service.lines)).not.toContain("topsecret");
  });
});

describe("the metrics", () => {
  it("show the current state of the queue", async () => {
    const service = await openService({ metrics: true });
    const { token } = await service.customer();
    expect(await readMetrics(service)).toEqual(
      expect.arrayContaining([
        'snap_batch_items{state="queued"} 0',
        'snap_batch_items{state="rendering"} 0',
        "snap_batch_oldest_unfinished_seconds 0",
        "snap_webhook_deliveries_open 0",
      ]),
    );
    const release = service.renderer.hold();
    const items = Array.from({ length: 20 }, (_, index) => ({ url: `${url}${index}` }));
    await submit(service, { items, webhookUrl }, { token });
    service.clock.advance(90_500);
    expect(await readMetrics(service)).toEqual(
      expect.arrayContaining([
        'snap_batch_items{state="queued"} 20',
        'snap_batch_items{state="rendering"} 0',
        "snap_batch_oldest_unfinished_seconds 90.5",
      ]),
    );
    service.engine.startWorker();
    await service.renderer.whenCalled(1);
    const texts = await readMetrics(service);
    const count = (state: string): number =>
      Number(texts.find((line) => line.startsWith(`snap_batch_items{state="${state}"}`))?.split(" ")[1]);
    expect(count("rendering")).toBeGreaterThan(0);
    expect(count("queued") + count("rendering")).toBe(20);

    service.webhookSender.returnNext({ kind: "responded", status: 503, retryAfterMs: null, body: "" });
    release();
    await service.whenLogged("webhook not delivered");
    expect(await readMetrics(service)).toEqual(
      expect.arrayContaining([
        'snap_batch_items{state="queued"} 0',
        'snap_batch_items{state="rendering"} 0',
        "snap_batch_oldest_unfinished_seconds 0",
        "snap_webhook_deliveries_open 1",
      ]),
    );
  });

  it("count finished items, webhook attempts, credits and requests", async () => {
    const service = await openService({ metrics: true, worker: true });
    const { token } = await service.customer();
    service.webhookSender.returnNext({ kind: "responded", status: 503, retryAfterMs: null, body: "" });
    const document = { items: [{ url }, { url: `${url}b` }], webhookUrl };
    const { id } = batchOf(await submit(service, document, { token }));
    await service.whenLogged("webhook not delivered");
    await service.send(`/v1/renders/${id}`, { token });
    await service.send("/v1/renders/unknown", { token });
    expect(await readMetrics(service)).toEqual(
      expect.arrayContaining([
        'snap_batch_items_total{status="done",code=""} 2',
        'snap_webhook_attempts_total{outcome="http_5xx"} 1',
        "snap_credits_total 2",
        'snap_http_requests_total{route="/v1/renders",status="202",code=""} 1',
        'snap_http_requests_total{route="/v1/renders/{id}",status="200",code=""} 1',
        'snap_http_requests_total{route="/v1/renders/{id}",status="404",code="not_found"} 1',
      ]),
    );
  });

  it.each<[WebhookOutcome, string]>([
    [{ kind: "responded", status: 200, retryAfterMs: null, body: "" }, "delivered"],
    [{ kind: "responded", status: 302, retryAfterMs: null, body: "" }, "http_3xx"],
    [{ kind: "responded", status: 410, retryAfterMs: null, body: "" }, "http_4xx"],
    [{ kind: "responded", status: 599, retryAfterMs: null, body: "" }, "http_5xx"],
    [{ kind: "responded", status: 600, retryAfterMs: null, body: "" }, "broken"],
    [{ kind: "failed", reason: "blocked" }, "blocked"],
    [{ kind: "failed", reason: "unresolved" }, "unresolved"],
    [{ kind: "failed", reason: "resolver-failed" }, "resolver-failed"],
    [{ kind: "failed", reason: "proxy-failed" }, "proxy-failed"],
    [{ kind: "failed", reason: "unreachable" }, "unreachable"],
    [{ kind: "failed", reason: "timed-out" }, "timed-out"],
    [{ kind: "failed", reason: "broken" }, "broken"],
  ])("count an attempt that ends with %j as %s", async (outcome, label) => {
    const service = await openService({ metrics: true, worker: true });
    const { token } = await service.customer();
    service.webhookSender.returnNext(outcome);
    await submit(service, { items: [{ url }], webhookUrl }, { token });
    await service.whenLogged(label === "delivered" ? "webhook delivered" : "webhook not delivered");
    expect(await readMetrics(service)).toContain(`snap_webhook_attempts_total{outcome="${label}"} 1`);
  });

  it("count an attempt that fails because the token is revoked", async () => {
    const service = await openService({ metrics: true, worker: true });
    const { token, tokenId } = await service.customer();
    const release = service.renderer.hold();
    await submit(service, { items: [{ url }, { url: `${url}b` }], webhookUrl }, { token });
    await service.renderer.whenCalled(2);
    await service.engine.tokens.revoke(tokenId);
    release();
    await service.whenLogged("webhook not delivered");
    expect(await readMetrics(service)).toContain('snap_webhook_attempts_total{outcome="token-revoked"} 1');
  });

  it("omit only the storage gauges if the storage fails", async () => {
    const service = await openService({ metrics: true });
    const { token } = await service.customer();
    await submit(service, { items: [{ url }] }, { token });
    expect(await readMetrics(service)).toContain('snap_batch_items{state="queued"} 1');
    service.storage.batches.stats = () => Promise.reject(new Error("the disk failed"));
    const metrics = await readMetrics(service);
    expect(metrics.filter((line) => /^snap_(batch_(items|oldest)|webhook_deliveries)/.test(line))).toEqual(
      [],
    );
    expect(metrics).toContain('snap_http_requests_total{route="/v1/renders",status="202",code=""} 1');
  });
});
