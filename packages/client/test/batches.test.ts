import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { createClient, type BatchItem, type BatchProgress, type RenderBatch } from "../src/index.ts";
import { batch, BATCH_ID, item, openBatchService } from "./batch-service.ts";
import { failureOf } from "./failure-of.ts";
import {
  envelope,
  openRawServer,
  png,
  recordWaits,
  resetConnection,
  TOKEN,
  type Responder,
} from "./raw-server.ts";

const PAGES = [{ url: "https://example.com/0" }, { url: "https://example.com/1", pdf: true }] as const;

describe("batches.submit()", () => {
  it("posts the items as JSON and returns the batch", async () => {
    const { snap, postedBodies, requests } = await openBatchService([
      batch(item(0, "queued"), item(1, "queued")),
    ]);
    const submitted = await snap.batches.submit({
      items: [...PAGES, { url: "https://example.com/2", delay: undefined }],
      webhookUrl: "https://app.example.com/hook",
    });
    expect(submitted.id).toBe("batch_01");
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
    });
    expect(postedBodies).toEqual([
      {
        items: [
          { url: "https://example.com/0" },
          { url: "https://example.com/1", pdf: true },
          { url: "https://example.com/2" },
        ],
        webhookUrl: "https://app.example.com/hook",
      },
    ]);
  });

  it("rejects invalid parameters without a request, with an error that names the item and the parameter", async () => {
    const { snap, requests } = await openBatchService([batch()]);
    const items = [PAGES[0], { url: "ftp://example.com" }, { ...PAGES[0], quality: 80 }];
    const failure = await failureOf(snap.batches.submit({ items }));
    expect(failure).toMatchObject({
      code: "validation_failed",
      status: 422,
      requestId: null,
      errors: { "items.1.url": [expect.any(String)], "items.2.quality": [expect.any(String)] },
    });
    expect(requests).toHaveLength(0);
  });

  it("retries after a rejection and after a lost connection, with the same idempotency key", async () => {
    const accept: Responder = (response) =>
      response.writeHead(202).end(JSON.stringify(batch(item(0, "queued"))));
    const { origin, requests } = await openRawServer(
      envelope(429, "rate_limited", { "Retry-After": "1" }),
      resetConnection,
      accept,
    );
    const { batches } = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits() });
    await batches.submit({ items: PAGES });
    // JavaScript callers can pass null for none
    await batches.submit({ items: PAGES }, { idempotencyKey: null as unknown as undefined });
    await batches.submit({ items: PAGES }, { idempotencyKey: "order 7" });
    const [first, second, third, other, own] = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(requests).toHaveLength(5);
    expect(first).toMatch(/^[!-~]{16,255}$/);
    expect([second, third]).toEqual([first, first]);
    expect(other).toMatch(/^[!-~]{16,255}$/);
    expect(other).not.toBe(first);
    expect(own).toBe("order 7");
  });
});

describe("batches.list(), deliveries() and resend()", () => {
  const page = { entries: [{ id: "batch_01" }], has_more: true };
  const resent = batch(item(0, "done"));

  it("send the id and the pagination parameters, and return the response unchanged", async () => {
    const { origin, requests } = await openRawServer((response, { method }) =>
      response.end(JSON.stringify(method === "POST" ? resent : page)),
    );
    const { batches } = createClient({ baseUrl: origin, token: TOKEN });
    expect(await batches.list()).toEqual(page);
    await batches.list({ limit: 2, after: "batch_01" });
    expect(await batches.deliveries("a/b", { limit: 5 })).toEqual(page);
    expect(await batches.resend("a/b")).toEqual(resent);
    expect(requests.map(({ method, url }) => [method, url])).toEqual([
      ["GET", "/v1/renders?"],
      ["GET", "/v1/renders?limit=2&after=batch_01"],
      ["GET", "/v1/renders/a%2Fb/deliveries?limit=5"],
      ["POST", "/v1/renders/a%2Fb/deliveries"],
    ]);
  });

  it("reject an unexpected response, and an id that a path cannot contain", async () => {
    const { origin, requests } = await openRawServer((response) => response.end("{}"));
    const { batches } = createClient({ baseUrl: origin, token: TOKEN });
    for (const call of [batches.list(), batches.deliveries("batch_01"), batches.resend("batch_01")])
      expect(await failureOf(call)).toMatchObject({ code: "unexpected_answer" });
    for (const call of [batches.deliveries(".."), batches.resend(""), batches.get("\ud800")])
      expect(await failureOf(call)).toMatchObject({ code: "not_found", status: 404 });
    const missing = undefined as unknown as string;
    for (const call of [batches.deliveries(missing), batches.resend(missing), batches.get(missing)])
      expect(await failureOf(call)).toMatchObject({ code: "misconfigured", status: 0 });
    expect(requests).toHaveLength(3);
  });

  it("resend() retries after a rejection, but not after a lost connection", async () => {
    const limitingServer = await openRawServer(
      envelope(429, "rate_limited", { "Retry-After": "1" }),
      (response) => response.writeHead(202).end(JSON.stringify(batch(item(0, "done")))),
    );
    const options = { token: TOKEN, pacing: recordWaits() };
    await createClient({ ...options, baseUrl: limitingServer.origin }).batches.resend("batch_01");
    expect(limitingServer.requests.map(({ method, url }) => [method, url])).toEqual([
      ["POST", "/v1/renders/batch_01/deliveries"],
      ["POST", "/v1/renders/batch_01/deliveries"],
    ]);
    const resettingServer = await openRawServer(resetConnection);
    const lost = createClient({ ...options, baseUrl: resettingServer.origin }).batches.resend("batch_01");
    expect(await failureOf(lost)).toMatchObject({ code: "connection_failed" });
    expect(resettingServer.requests).toHaveLength(1);
  });
});

describe("batches.get()", () => {
  it("returns the response unchanged", async () => {
    const document = batch(
      item(0, "done", "https://snap.example.com/v1/snap/signed?url=a"),
      item(1, "failed"),
    );
    const { snap } = await openBatchService([document]);
    expect(await snap.batches.get(BATCH_ID)).toEqual(document);
  });

  it.for(["batch_02", "../usage", "a/b"])("rejects with not_found for %s", async (id) => {
    const { snap, requests } = await openBatchService([batch()]);
    expect(await failureOf(snap.batches.get(id))).toMatchObject({ code: "not_found", status: 404 });
    expect(requests[0]?.url).toBe(`/v1/renders/${encodeURIComponent(id)}`);
  });
});

const STATES = [
  batch(item(0, "queued"), item(1, "queued"), item(2, "queued")),
  batch(item(0, "rendering"), item(1, "done"), item(2, "paused")),
  batch(item(0, "rendering"), item(1, "done"), item(2, "paused")),
  batch(item(0, "failed"), item(1, "done"), item(2, "paused")),
  batch(item(0, "failed"), item(1, "done"), item(2, "done")),
];

describe("batches.wait()", () => {
  it("polls until the batch is complete, and treats an unknown status as not finished", async () => {
    const { snap, requests, waitsMs } = await openBatchService(STATES);
    const progress: number[] = [];
    const complete = await snap.batches.wait(BATCH_ID, {
      onProgress: ({ finished, total }: BatchProgress) => progress.push(finished, total),
    });
    expect(complete).toEqual(STATES[4]);
    expect(progress).toEqual([0, 3, 1, 3, 1, 3, 2, 3, 3, 3]);
    expect(requests).toHaveLength(5);
    // intervals of 1000, 1500, 2250 and 3375, minus a quarter: half of the maximum jitter
    expect(waitsMs).toEqual([750, 1125, 1687.5, 2531.25]);
  });

  it("uses a batch as the first state, and sends no request if it is complete", async () => {
    const { snap, requests, waitsMs } = await openBatchService([STATES[4] ?? {}]);
    await snap.batches.wait(STATES[0] as RenderBatch, { pollIntervalMs: 200 });
    expect(requests).toHaveLength(1);
    expect(waitsMs).toEqual([150]);
    expect(await snap.batches.wait(STATES[4] as RenderBatch)).toEqual(STATES[4]);
    expect(requests).toHaveLength(1);
  });

  it("increases the interval up to ten times the first one", async () => {
    const { snap, waitsMs } = await openBatchService([...Array(10).fill(STATES[0]), STATES[4]]);
    await snap.batches.wait(BATCH_ID, { pollIntervalMs: 100 });
    expect(waitsMs.slice(-3)).toEqual([750, 750, 750]);
  });

  it("rejects with not_found when the batch does not exist", async () => {
    const { snap } = await openBatchService([STATES[0] ?? {}]);
    expect(await failureOf(snap.batches.wait("batch_02"))).toMatchObject({ code: "not_found", status: 404 });
  });

  it("rejects with aborted when the signal aborts", async () => {
    const { snap } = await openBatchService([STATES[0] ?? {}]);
    const controller = new AbortController();
    const reason = new Error("no longer needed");
    const waiting = snap.batches.wait(BATCH_ID, {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    expect(await failureOf(waiting)).toMatchObject({ code: "aborted", status: 0, cause: reason });
  });

  it("rejects with timed_out, both between polls and during a request", async () => {
    const { now, random } = recordWaits();
    const sleep = (_durationMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const { snap } = await openBatchService([STATES[0] ?? {}], { pacing: { now, random, sleep } });
    expect(await failureOf(snap.batches.wait(BATCH_ID, { timeoutMs: 50 }))).toMatchObject({
      code: "timed_out",
      status: 0,
      message: "The batch is still running; it did not finish within 50 ms.",
    });
    const hangingServer = await openRawServer(() => {});
    const hung = createClient({ baseUrl: hangingServer.origin, token: TOKEN });
    expect(await failureOf(hung.batches.wait(BATCH_ID, { timeoutMs: 50 }))).toMatchObject({
      code: "timed_out",
    });
  });

  it("continues after a retryable failure", async () => {
    const { origin } = await openRawServer(
      (response) => response.end(JSON.stringify(STATES[0])),
      envelope(503, "not_ready", { "Retry-After": "1" }),
      resetConnection,
      (response) => response.end(JSON.stringify(STATES[4])),
    );
    const snap = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits() });
    expect((await snap.batches.wait(BATCH_ID)).status).toBe("complete");
  });
});

describe("batches.items()", () => {
  it("yields each item once, when it is done or failed", async () => {
    const { snap, requests } = await openBatchService(STATES);
    const seen: [string, string, number][] = [];
    for await (const { id, status } of snap.batches.items(BATCH_ID)) seen.push([id, status, requests.length]);
    expect(seen).toEqual([
      ["item_1", "done", 2],
      ["item_0", "failed", 4],
      ["item_2", "done", 5],
    ]);
  });

  it("sends no more requests after the loop ends", async () => {
    const { snap, requests } = await openBatchService(STATES);
    for await (const { id } of snap.batches.items(BATCH_ID)) {
      expect(id).toBe("item_1");
      break;
    }
    expect(requests).toHaveLength(2);
  });

  it("rejects with aborted when the signal aborts", async () => {
    const { snap } = await openBatchService(STATES);
    const controller = new AbortController();
    const reason = new Error("no longer needed");
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { id } of snap.batches.items(BATCH_ID, { signal: controller.signal })) {
          seen.push(id);
          controller.abort(reason);
        }
      })(),
    ).rejects.toMatchObject({ name: "SnapError", code: "aborted", cause: reason });
    expect(seen).toEqual(["item_1"]);
  });
});

describe("batches.download()", () => {
  it("fetches the rendering without the token", async () => {
    const { origin, requests } = await openRawServer(png);
    const { snap } = await openBatchService([]);
    const done = item(0, "done", `${origin}/v1/snap/signed?url=a&signature=b`) as BatchItem;
    const { bytes, credits } = await snap.batches.download(done);
    expect(new TextDecoder().decode(bytes)).toBe("an image");
    expect(credits).toBeNull();
    const { stream } = await snap.batches.download(done, { as: "stream" });
    expect(await new Response(stream).text()).toBe("an image");
    expect(requests.map(({ url }) => url)).toEqual(Array(2).fill("/v1/snap/signed?url=a&signature=b"));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it("sends the additional headers only to the origin of baseUrl", async () => {
    const own = await openRawServer(png);
    const other = await openRawServer(png);
    const headers = { "X-Gateway-Key": "open" };
    const snap = createClient({ baseUrl: own.origin, token: TOKEN, headers });
    await snap.batches.download(item(0, "done", `${own.origin}/signed`) as BatchItem);
    await snap.batches.download(item(0, "done", `${other.origin}/signed`) as BatchItem);
    expect(own.requests[0]?.headers["x-gateway-key"]).toBe("open");
    expect(other.requests[0]?.headers["x-gateway-key"]).toBeUndefined();
  });

  it.for([
    ["done", "Send the identical request again."],
    ["failed", "it failed with render_timeout. It took too long."],
    ["rendering", "it is rendering; wait until it is done."],
    ["paused", "it is paused; wait until it is done."],
  ] as const)("explains why an item with status %s has no signed URL", async ([status, why]) => {
    const { snap } = await openBatchService([]);
    const failure = await failureOf(snap.batches.download(item(3, status) as BatchItem));
    expect(failure).toMatchObject({ code: "no_signed_url", status: 0, requestId: null });
    expect(failure.message).toContain(`Item item_3 has no signed URL: `);
    expect(failure.message).toContain(why);
  });

  it("does not quote the signed URL in errors", async () => {
    const { origin } = await openRawServer(envelope(403, "signed_url_expired"));
    const { snap } = await openBatchService([]);
    const failure = await failureOf(
      snap.batches.download(item(0, "done", `${origin}/v1/snap/signed?signature=5ec2e7`) as BatchItem),
    );
    expect(failure).toMatchObject({ code: "signed_url_expired", status: 403 });
    expect(failure.stack).not.toContain("5ec2e7");
  });

  it("does not quote the query of a URL in errors, unlike Deno's fetch", async () => {
    const refuse: typeof fetch = async (input) => {
      const reason = `error sending request for url (${input as string}): client error (Connect)`;
      throw new TypeError("fetch failed", { cause: new Error(reason) });
    };
    const snap = createClient({
      baseUrl: "https://snap.example.com",
      token: TOKEN,
      fetch: refuse,
      pacing: recordWaits(),
    });
    const signed = item(0, "done", "https://snap.example.com/v1/snap/signed?signature=5ec2e7") as BatchItem;
    for (const call of [
      snap.batches.download(signed),
      snap.screenshot({ url: "https://example.com/?key=5ec2e7" }),
    ]) {
      const failure = await failureOf(call);
      expect(failure.code).toBe("connection_failed");
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain("5ec2e7");
    }
  });
});

describe("a malformed id or URL", () => {
  it.for(["", ".", "..", "\ud800"])("causes not_found without a request: id %j", async (id) => {
    const { origin, requests } = await openRawServer(envelope(500, "server_error"));
    const snap = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits() });
    const failures = [snap.batches.get(id), snap.batches.wait(id)].map(failureOf);
    for (const failure of await Promise.all(failures))
      expect(failure).toMatchObject({ code: "not_found", status: 404, requestId: null });
    expect(requests).toEqual([]);
  });

  it.for([
    "/v1/snap/signed?signature=abc",
    "http://u:p@127.0.0.1/?signature=abc",
    "file:///etc/passwd",
    "https://snap.example.com:99999/v1/snap/signed?signature=abc",
    "https://snap example.com/v1/snap/signed?signature=abc",
  ])("causes no_signed_url without a request, and is not quoted: %s", async (signed_url) => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const snap = createClient({ baseUrl: "http://127.0.0.1:9", token: TOKEN, fetch });
    const failure = await failureOf(snap.batches.download(item(0, "done", signed_url) as BatchItem));
    expect(failure.code).toBe("no_signed_url");
    expect(inspect(failure, { depth: 20 })).not.toMatch(/signature=|u:p|passwd|:99999|snap[ .]example/);
    expect(fetch).not.toHaveBeenCalled();
  });
});
