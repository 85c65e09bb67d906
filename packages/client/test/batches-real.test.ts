import { parseTargetList, SnapError, systemClock, type DeliveryAttempt } from "@snap/engine";
import express from "express";
import { describe, expect, it } from "vitest";
import {
  createClient,
  type BatchInput,
  type BatchItem,
  type RenderBatch,
  type SnapClient,
} from "../src/index.ts";
import { webhookMiddleware } from "../src/webhooks/index.ts";
import { failureOf } from "./failure-of.ts";
import { kindOf } from "./kind-of.ts";
import { openRawServer, recordWaits } from "./raw-server.ts";
import { openService } from "./service.ts";

/* Batches with the real server and its worker. */

const url = "https://example.com/";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const FAST_POLLING = { pollIntervalMs: 10 } as const;

describe("a batch", () => {
  it("can be submitted, polled and downloaded", async () => {
    const { baseUrl, client, renderer } = await openService({ notes: ["blank", "images-failed=2"] });
    const snap = await client();
    const release = renderer.hold();
    const submitted = await snap.batches.submit({
      items: [{ url }, { url, format: "webp" }, { url, pdf: true }],
    });
    expect(submitted).toMatchObject({ status: "pending", finished_at: null, webhook: null });
    expect(submitted.items.map(({ status }) => status)).toEqual(["queued", "queued", "queued"]);

    const progress: number[] = [];
    const complete = await snap.batches.wait(submitted, {
      ...FAST_POLLING,
      onProgress({ finished, total }) {
        expect(total).toBe(3);
        progress.push(finished);
        release();
      },
    });
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(complete).toMatchObject({ id: submitted.id, status: "complete" });
    expect(await snap.batches.get(submitted.id)).toEqual(complete);

    const kinds: string[] = [];
    for await (const item of snap.batches.items(complete)) {
      expect(item.signed_url?.startsWith(`${baseUrl}/snap/signed?`)).toBe(true);
      const { bytes, contentType, etag, cache, credits, notes } = await snap.batches.download(item);
      expect([item.notes, notes]).toEqual([
        ["blank", "images-failed=2"],
        ["blank", "images-failed=2"],
      ]);
      expect({ etag, cache, credits }).toEqual({ etag: item.etag, cache: "hit", credits: null });
      expect(kindOf(bytes)).toBe(contentType);
      kinds.push(contentType);
    }
    expect(kinds).toEqual(["image/png", "image/webp", "application/pdf"]);
    expect((await snap.usage()).credits.used).toBe(3);
  });

  it("is submitted once if the response is lost and the client retries", async () => {
    const { client } = await openService();
    const lost: unknown[] = [];
    const snap = await client(undefined, {
      pacing: recordWaits(),
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (init?.method !== "POST" || lost.length > 0) return response;
        lost.push(await response.json());
        throw new TypeError("the connection was lost");
      },
    });
    const { id } = await snap.batches.submit({ items: [{ url }, { url, pdf: true }] });
    expect(lost).toEqual([expect.objectContaining({ id })]);
    await snap.batches.wait(id, FAST_POLLING);
    expect((await snap.batches.list()).entries.map((batch) => batch.id)).toEqual([id]);
    expect((await snap.usage()).credits.used).toBe(2);
  });

  it("continues after one item fails", async () => {
    const { client, renderer } = await openService();
    const snap = await client();
    renderer.failNext(new SnapError("render_timeout", "It took too long."));
    const { id } = await snap.batches.submit({ items: [{ url }, { url, pdf: true }] });
    const seen: BatchItem[] = [];
    for await (const item of snap.batches.items(id, FAST_POLLING)) seen.push(item);
    const failed = seen.filter(({ status }) => status === "failed");
    expect(failed).toEqual([
      expect.objectContaining({
        error: { code: "render_timeout", message: "It took too long." },
        etag: null,
        signed_url: null,
        credit_cost: 0,
      }),
    ]);
    expect(seen.filter(({ status }) => status === "done")).toEqual([
      expect.objectContaining({ error: null, credit_cost: 1 }),
    ]);
    expect(await failureOf(snap.batches.download(failed[0] as BatchItem))).toMatchObject({
      code: "no_signed_url",
      message: expect.stringContaining("render_timeout"),
    });
    expect((await snap.usage()).credits.used).toBe(1);
  });

  it("is not found by an unknown id or by another account", async () => {
    const { client } = await openService();
    const [snap, other] = [await client(), await client()];
    const { id } = await snap.batches.submit({ items: [{ url }] });
    for (const call of [
      () => other.batches.get(id),
      () => other.batches.deliveries(id),
      () => other.batches.resend(id),
      () => other.batches.list({ after: id }),
      () => snap.batches.wait("batch_0a1b2c3d4e5f60718293a4b5"),
    ])
      expect(await failureOf(call())).toMatchObject({
        code: "not_found",
        status: 404,
        requestId: expect.stringMatching(UUID),
      });
  });

  it("is rejected with rate_limited if ten others were submitted within a minute", async () => {
    const { client } = await openService();
    const snap = await client({}, { maxRetries: 0 });
    for (let count = 0; count < 10; count += 1) await snap.batches.submit({ items: [{ url }] });
    const failure = await failureOf(snap.batches.submit({ items: [{ url }] }));
    expect(failure).toMatchObject({ code: "rate_limited", status: 429, retryAfterSeconds: 60 });
  });
});

/** Posts the JSON that the client would send, and returns the service's response. */
async function postBatch(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  document: object,
): Promise<{ readonly status: number; readonly envelope: Readonly<Record<string, unknown>> }> {
  const response = await fetch(`${baseUrl}/renders`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(document),
  });
  return { status: response.status, envelope: (await response.json()) as Record<string, unknown> };
}

/** Submits values that the types forbid. */
function submit(snap: SnapClient, document: object): Promise<unknown> {
  return snap.batches.submit(document as BatchInput);
}

describe("a batch with invalid parameters", () => {
  it.for<[name: string, items: readonly unknown[], names: readonly string[]]>([
    ["no parameters", [{}], ["items.0.url"]],
    ["a url that is a number", [{ url: 7 }], ["items.0.url"]],
    ["a second url without a scheme", [{ url }, { url: "example.com" }], ["items.1.url"]],
    ["a url with another scheme", [{ url: "ftp://example.com/" }], ["items.0.url"]],
    ["a url with credentials", [{ url: "https://ada:pa55@example.com/" }], ["items.0.url"]],
    ["a url of 2,049 characters", [{ url: `https://example.com/${"a".repeat(2029)}` }], ["items.0.url"]],
    ["quality without a lossy format", [{ url, quality: 80 }], ["items.0.quality"]],
    ["an unknown format", [{ url, format: "gif" }], ["items.0.format"]],
    ["a parameter of PDFs", [{ url, landscape: true }], ["items.0.landscape"]],
    ["items that are not objects", [null, url, [url]], ["items.0", "items.1", "items.2"]],
    ["a parameter of screenshots in a PDF", [{ url, pdf: true, fullPage: true }], ["items.0.fullPage"]],
    ["null as a value", [{ url, fullPage: null }], ["items.0.fullPage"]],
    ["a misspelled name", [{ url, full_page: true }], ["items.0.full_page"]],
    [
      "a name from JSON, __proto__",
      [JSON.parse(`{"url":"${url}","__proto__":1}`) as object],
      ["items.0.__proto__"],
    ],
    ["a width without a height", [{ url, width: 800 }], ["items.0.height"]],
    ["an image with too many pixels", [{ url, width: 10_000, height: 10_000, scale: 2 }], ["items.0.scale"]],
    ["half a clip region", [{ url, clipX: 1, clipY: 1 }], ["items.0.clipWidth", "items.0.clipHeight"]],
    ["a selector with a quote", [{ url, selector: "a'b" }], ["items.0.selector"]],
    ["a selector and fullPage", [{ url, selector: "main", fullPage: true }], ["items.0.selector"]],
    [
      "several problems in two items",
      [{ url, scale: 9, delay: -1 }, { url }, { url: "x", pdf: true, scale: 3 }],
      ["items.0.scale", "items.0.delay", "items.2.url", "items.2.scale"],
    ],
    [
      "60 problems, of which the first 50 are named",
      Array.from({ length: 20 }, (_, index) => ({ url: `${url}${index}`, scale: 0, quality: 0, delay: 0.5 })),
      Array.from({ length: 50 }, (_, index) => {
        const name = ["scale", "quality", "delay"][index % 3] ?? "";
        return `items.${Math.floor(index / 3)}.${name}`;
      }),
    ],
  ])("is rejected without a request, with the service's message: %s", async ([, items, names]) => {
    const { baseUrl, customer } = await openService();
    const { token } = await customer();
    const failingFetch = (): Promise<Response> => Promise.reject(new Error("a request was sent"));
    const snap = createClient({ baseUrl, token, fetch: failingFetch });
    const { code, status, message, errors, requestId } = await failureOf(submit(snap, { items }));
    expect({ code, status, requestId }).toEqual({
      code: "validation_failed",
      status: 422,
      requestId: null,
    });
    expect(Object.keys(errors ?? {})).toEqual(names);

    const response = await postBatch({ baseUrl, token }, { items });
    expect(response.status).toBe(422);
    expect(response.envelope).toEqual({ code, message, errors, request_id: expect.stringMatching(UUID) });
    expect(Object.keys(response.envelope["errors"] ?? {})).toEqual(names);
  });
});

describe("a batch that only the service can reject", () => {
  const submission = { items: [{ url }] };

  it.for<[name: string, document: object, code: string, errors: readonly string[]]>([
    ["no items", { items: [] }, "validation_failed", ["items"]],
    [
      "21 items",
      { items: Array.from({ length: 21 }, (_, index) => ({ url: `${url}${index}` })) },
      "validation_failed",
      ["items"],
    ],
    ["missing items", {}, "validation_failed", ["items"]],
    ["items that are not an array", { items: { 0: { url } } }, "validation_failed", ["items"]],
    [
      "a duplicate",
      {
        items: [
          { url, cacheTtl: 7200 },
          { url, format: "png" },
        ],
      },
      "validation_failed",
      ["items.1"],
    ],
    [
      "cacheTtl below an hour",
      { items: [{ url, cacheTtl: 3599 }] },
      "validation_failed",
      ["items.0.cacheTtl"],
    ],
    ["cache: false", { items: [{ url, cache: false }] }, "validation_failed", ["items.0.cache"]],
    ["a private host", { items: [{ url: "http://10.0.0.1/" }] }, "blocked_host", ["items.0.url"]],
    ["a malformed webhook URL", { ...submission, webhookUrl: "/hook" }, "validation_failed", ["webhookUrl"]],
    ["a private webhook", { ...submission, webhookUrl: "http://127.0.0.1/" }, "blocked_host", ["webhookUrl"]],
    ["a typo", { ...submission, webhookURL: url }, "validation_failed", ["webhookURL"]],
  ])("is rejected with the service's error: %s", async ([, document, code, names]) => {
    const { baseUrl, customer } = await openService();
    const { token } = await customer();
    const failure = await failureOf(submit(createClient({ baseUrl, token }), document));
    expect(failure).toMatchObject({ code, status: 422, requestId: expect.stringMatching(UUID) });
    expect(Object.keys(failure.errors ?? {})).toEqual(names);
    const { envelope } = await postBatch({ baseUrl, token }, document);
    expect(envelope).toMatchObject({ code, message: failure.message, errors: failure.errors });
  });

  it("is rejected with missing_ability if the token lacks the ability for a mode", async () => {
    const snap = await (await openService()).client({ abilities: ["pdf"] });
    const failure = await failureOf(snap.batches.submit({ items: [{ url, pdf: true }, { url }] }));
    expect(failure).toMatchObject({ code: "missing_ability", status: 403, errors: null });
  });
});

describe("a batch's webhook", () => {
  it("is delivered to webhookMiddleware in Express", async () => {
    const app = express();
    const receiver = await openRawServer((response, request) => app(request, response));
    const firstAttempt = Promise.withResolvers<DeliveryAttempt>();
    const service = await openService(undefined, {
      // receivers reject a timestamp that is not current
      clock: systemClock,
      targets: { allow: parseTargetList(new URL(receiver.origin).host), ownHostnames: [] },
      onDeliveryAttempt: firstAttempt.resolve,
    });
    const { token, signingSecret } = await service.customer();
    const received: RenderBatch[] = [];
    const rejected: unknown[] = [];
    app.post(
      "/webhooks/snap",
      webhookMiddleware(signingSecret, (batch) => received.push(batch), {
        onError: (error) => rejected.push(error),
      }),
    );

    const snap = createClient({ baseUrl: service.baseUrl, token });
    const webhookUrl = `${receiver.origin}/webhooks/snap?job=7`;
    const submitted = await snap.batches.submit({ items: [{ url }, { url, pdf: true }], webhookUrl });
    expect(submitted.webhook).toEqual({ url: webhookUrl, delivered_at: null });
    expect(await firstAttempt.promise).toMatchObject({ delivered: true, attempt: 1 });

    const batch = await snap.batches.wait(submitted.id);
    expect(batch.webhook).toEqual({
      url: webhookUrl,
      delivered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(received).toEqual([{ ...batch, webhook: { url: webhookUrl, delivered_at: null } }]);
    expect(rejected).toEqual([]);
    expect(receiver.requests.map(({ method, url: path }) => [method, path])).toEqual([
      ["POST", "/webhooks/snap?job=7"],
    ]);
    const [item] = received[0]?.items ?? [];
    expect(kindOf((await snap.batches.download(item as BatchItem)).bytes)).toBe("image/png");
  });

  it("can be resent after a failed attempt, with the same id and a valid signature", async () => {
    const app = express();
    const receiver = await openRawServer((response, request) => app(request, response));
    const attempts = [Promise.withResolvers<DeliveryAttempt>(), Promise.withResolvers<DeliveryAttempt>()];
    let attempted = 0;
    const service = await openService(undefined, {
      clock: systemClock,
      targets: { allow: parseTargetList(new URL(receiver.origin).host), ownHostnames: [] },
      webhookRetryDelaysMs: [3_600_000],
      onDeliveryAttempt(attempt) {
        attempts[attempted]?.resolve(attempt);
        attempted += 1;
      },
    });
    const { token, signingSecret } = await service.customer();
    const received: RenderBatch[] = [];
    let isRepaired = false;
    const accept = webhookMiddleware(signingSecret, (batch) => received.push(batch));
    app.post("/hook", (request, response, next) => {
      if (isRepaired) void accept(request, response, next);
      else response.status(500).send("<p>down");
    });

    const snap = createClient({ baseUrl: service.baseUrl, token });
    const { id } = await snap.batches.submit({ items: [{ url }], webhookUrl: `${receiver.origin}/hook` });
    expect(await attempts[0]?.promise).toMatchObject({ delivered: false });
    const { entries, has_more: hasMore } = await snap.batches.deliveries(id);
    expect(entries).toMatchObject([
      { batch_id: id, attempt: 1, delivered: false, status: 500, body: "<p>down" },
    ]);
    expect(hasMore).toBe(false);
    expect((await snap.batches.list({ limit: 1 })).entries).toMatchObject([
      { id, webhook: { status: "due", attempts: 1 }, items: { done: 1 } },
    ]);

    isRepaired = true;
    expect(await snap.batches.resend(id)).toMatchObject({ id, status: "complete" });
    expect(await attempts[1]?.promise).toMatchObject({ delivered: true });
    expect(received).toMatchObject([{ id }]);
    const [first, second] = receiver.requests.map(({ headers }) => headers);
    expect(second?.["x-webhook-id"]).toBe(first?.["x-webhook-id"]);
    expect((await snap.batches.deliveries(id, { limit: 1 })).entries).toMatchObject([{ delivered: true }]);
  });
});
