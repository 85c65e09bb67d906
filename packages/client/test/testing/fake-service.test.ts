import type { StoredDocument } from "@snap/protocol";
import { createFakeClock } from "@snap/testing";
import { describe, expect, it } from "vitest";
import {
  createClient,
  type BatchItem,
  type RenderBatch,
  type ResponseFacts,
  type ScreenshotCapture,
  type SnapClient,
} from "../../src/index.ts";
import { createFakeService, signDelivery } from "../../src/testing/index.ts";
import { verifyWebhook, webhookHandler } from "../../src/webhooks/index.ts";
import { failureOf } from "../failure-of.ts";
import { kindOf } from "../kind-of.ts";
import { openService } from "../service.ts";

/** Has no signed URL, so a download fails. */
const NO_ITEM = { id: "none", status: "queued", error: null } as BatchItem;
const PAGE = { url: "https://example.com/" } as const;

describe("the fake service", () => {
  it("returns a file of the requested format, and caches it", async () => {
    const { options, requests } = createFakeService({ credits: 5, notes: ["blank"], targetStatus: 404 });
    const snap = createClient(options);
    const { bytes, ...first } = await snap.screenshot(PAGE);
    expect(kindOf(bytes)).toBe("image/png");
    expect(first).toMatchObject({
      contentType: "image/png",
      cache: "miss",
      notes: ["blank"],
      targetStatus: 404,
      credits: { limit: 5, remaining: 4 },
    });
    expect(await snap.screenshot(PAGE)).toMatchObject({ cache: "hit", etag: first.etag });
    expect(await snap.screenshot({ ...PAGE, scale: 1 })).toMatchObject({ cache: "hit", etag: first.etag });
    expect(await snap.screenshot({ ...PAGE, cache: false })).toMatchObject({ cache: "bypass" });
    expect(await snap.screenshot(PAGE, { ifNoneMatch: first.etag })).toMatchObject({ notModified: true });
    const webp = await snap.screenshot({ ...PAGE, format: "webp", quality: 5 });
    expect([webp.contentType, kindOf(webp.bytes)]).toEqual(["image/webp", "image/webp"]);
    expect(webp.etag).not.toBe(first.etag);
    const jpeg = await snap.screenshot({ ...PAGE, format: "jpeg" });
    expect([...jpeg.bytes.subarray(0, 2), ...jpeg.bytes.subarray(-2)]).toEqual([0xff, 0xd8, 0xff, 0xd9]);
    const pdf = await snap.pdf({ html: "<h1>Invoice</h1>" });
    expect([pdf.contentType, kindOf(pdf.bytes)]).toEqual(["application/pdf", "application/pdf"]);
    expect((await snap.usage()).credits).toEqual({ remaining: 0, used: 5, total: 5 });
    expect(await failureOf(snap.pdf(PAGE))).toMatchObject({ code: "credit_limit_reached", status: 402 });
    expect(requests.map(({ path }) => path).slice(-3)).toEqual(["/captures", "/usage", "/snap"]);
    expect(requests[0]?.query.get("url")).toBe("https://example.com/");
  });

  it('returns metadata with as: "json", and a signed URL that works', async () => {
    const { options } = createFakeService();
    const snap = createClient(options);
    const file = await snap.screenshot({ ...PAGE, format: "webp" });
    const avif = await snap.screenshot({ ...PAGE, output: "avif" });
    expect([avif.contentType, String.fromCharCode(...avif.bytes.subarray(4, 12))]).toEqual([
      "image/avif",
      "ftypavif",
    ]);
    const { json } = await snap.screenshot({ ...PAGE, format: "webp" }, { as: "json" });
    expect(json).toMatchObject({
      cache: "HIT",
      credit_cost: 0,
      width: 16,
      height: 16,
      pages: null,
      etag: file.etag,
    });
    const signed = await options.fetch(json.signed_url ?? "");
    expect(new Uint8Array(await signed.arrayBuffer())).toEqual(file.bytes);
    const content = await snap.pdf({ html: "<h1>Invoice</h1>" }, { as: "json" });
    expect(content.json).toMatchObject({ width: null, pages: 1, target_status: null });
    const { origin, pathname } = new URL(content.json.final_url ?? "");
    expect([origin, pathname]).toEqual([
      "https://documents.snap.invalid",
      expect.stringMatching(/^\/[0-9a-f]{64}\/$/),
    ]);
    const linked = await options.fetch(content.json.signed_url ?? "");
    expect([linked.headers.get("content-type"), linked.headers.get("x-cache")]).toEqual([
      "application/pdf",
      "HIT",
    ]);
    const markdown = await snap.pdf({ markdown: "<h1>Invoice</h1>" }, { as: "json" });
    expect(markdown.json.etag).not.toBe(content.json.etag);
  });

  it("returns each failure that a test has set, once", async () => {
    const service = createFakeService();
    const snap = createClient(service.options);
    service.fail({ code: "upstream_error" });
    service.loseResponse();
    await snap.screenshot(PAGE);
    expect(service.requests).toHaveLength(3);
    // the render whose response was lost was charged
    expect((await snap.usage()).credits.used).toBe(1);
    service.fail({ code: "render_failed", notes: ["selector-unmatched"], message: "no match" });
    expect(await failureOf(snap.screenshot(PAGE))).toMatchObject({
      code: "render_failed",
      status: 500,
      message: "no match",
      notes: ["selector-unmatched"],
    });
    service.fail({ code: "rate_limited", retryAfterSeconds: 3600 });
    expect(await failureOf(snap.usage())).toMatchObject({ status: 429, retryAfterSeconds: 3600 });
    service.fail({ code: "brewing", status: 418, errors: { pot: ["is a teapot"] } });
    expect(await failureOf(snap.usage())).toMatchObject({ status: 418, errors: { pot: ["is a teapot"] } });
    service.respondWith(new Response("<h1>Sign in</h1>", { headers: { "Content-Type": "text/html" } }));
    expect(await failureOf(snap.usage())).toMatchObject({ code: "unexpected_answer", status: 200 });
  });

  it("rejects another token", async () => {
    const { options } = createFakeService();
    const stranger = createClient({ ...options, token: "8|another" });
    expect(await failureOf(stranger.usage())).toMatchObject({ code: "unauthenticated", status: 401 });
  });

  it("does not respond to an aborted request", async () => {
    const snap = createClient(createFakeService().options);
    expect(await failureOf(snap.usage({ signal: AbortSignal.abort() }))).toMatchObject({ code: "aborted" });
  });

  it("has no lists of batches or deliveries", async () => {
    const snap = createClient(createFakeService().options);
    for (const missing of [snap.batches.list(), snap.batches.deliveries("batch_1")])
      expect(await failureOf(missing)).toMatchObject({ code: "not_found", status: 404 });
  });

  it("completes a batch after pollsPerBatch polls", async () => {
    const service = createFakeService({ pollsPerBatch: 3 });
    const snap = createClient(service.options);
    service.failItem("https://example.com/2", "render_timeout");
    const urls = [0, 1, 2].map((index) => `https://example.com/${index}`);
    const submitted = await snap.batches.submit({ items: urls.map((url) => ({ url, format: "webp" })) });
    const progress: number[] = [];
    const { items } = await snap.batches.wait(submitted, {
      onProgress: ({ finished }) => progress.push(finished),
    });
    expect(progress).toEqual([0, 1, 2, 3]);
    expect(items.map(({ status, error }) => [status, error?.code])).toEqual([
      ["done", undefined],
      ["done", undefined],
      ["failed", "render_timeout"],
    ]);
    expect(await snap.batches.download(items[0] ?? NO_ITEM)).toMatchObject({
      cache: "hit",
      etag: items[0]?.etag,
      contentType: "image/webp",
    });
    expect(await failureOf(snap.batches.get("batch_0"))).toMatchObject({ code: "not_found" });
  });

  it("keeps a batch pending if pollsPerBatch is Infinity", async () => {
    const snap = createClient(createFakeService({ pollsPerBatch: Infinity }).options);
    const batch = await snap.batches.submit({ items: [PAGE] });
    const failure = await failureOf(snap.batches.wait(batch, { timeoutMs: 50 }));
    expect(failure.code).toBe("timed_out");
  });

  it("links a rendering only if a signed URL can request it", async () => {
    const { options } = createFakeService();
    const snap = createClient(options);
    const linkOf = async (parameters: object): Promise<string | null> =>
      (await snap.screenshot({ ...PAGE, ...parameters }, { as: "json" })).json.signed_url;
    expect(await linkOf({ basicAuth: "ada:s3cr3t" })).toBeNull();
    expect(await linkOf({ css: " ".repeat(20_000) })).toBeNull();
    const stored = new URL((await linkOf({ storeTo: "archive", storeKey: "{id}.{ext}" })) ?? "");
    expect([...stored.searchParams.keys()]).toEqual(["expires", "tokenId", "url", "signature"]);
    expect((await options.fetch(stored)).headers.get("x-cache")).toBe("HIT");
  });

  it("fails items for which no credits remain", async () => {
    const snap = createClient(createFakeService({ credits: 1 }).options);
    const batch = await snap.batches.submit({ items: [PAGE, { ...PAGE, pdf: true }] });
    const { status, items } = await snap.batches.wait(batch);
    expect(status).toBe("complete");
    expect(items).toMatchObject([
      { status: "done", credit_cost: 1 },
      { status: "failed", error: { code: "credit_limit_reached" }, credit_cost: 0, signed_url: null },
    ]);
  });

  it("queues a submission once, even if its response is lost", async () => {
    const service = createFakeService();
    const snap = createClient(service.options);
    service.loseResponse();
    const batch = await snap.batches.submit({ items: [PAGE] }, { idempotencyKey: "order 7" });
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /renders",
      "POST /renders",
    ]);
    expect(batch.id).toBe(`batch_${"1".padStart(24, "0")}`);
    const other = snap.batches.submit({ items: [{ ...PAGE, pdf: true }] }, { idempotencyKey: "order 7" });
    expect(await failureOf(other)).toMatchObject({ code: "idempotency_mismatch", status: 422 });
  });

  it("verifies signed URLs", async () => {
    const { options } = createFakeService({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const snap = createClient(options);
    const statusOf = async (url: string): Promise<number> => (await options.fetch(url)).status;
    expect(await statusOf(snap.signUrl({ ...PAGE, fullPage: true }))).toBe(200);
    expect(await statusOf(snap.signUrl(PAGE, { expires: new Date("2025-12-31") }))).toBe(403);
    // `expires` is the first second in which the URL does not work
    expect(await statusOf(snap.signUrl(PAGE, { expires: new Date("2026-01-01T00:00:00Z") }))).toBe(403);
    expect(await statusOf(snap.signUrl(PAGE, { expires: new Date("2026-01-01T00:00:01Z") }))).toBe(200);
    expect(await statusOf(`${snap.signUrl(PAGE)}0`)).toBe(403);
  });

  it("stores documents", async () => {
    const snap = createClient(createFakeService().options);
    const files = { "index.html": "<h1>Hi</h1>", "style.css": "h1 { color: teal }" };
    const stored = await snap.documents.create({ files });
    expect(stored).toMatchObject({ content_type: "multipart/form-data", files: 2 });
    expect(await snap.documents.create({ files })).toMatchObject({ id: stored.id });
    const [html, markdown] = [{ html: "Hi" }, { markdown: "Hi" }];
    expect((await snap.documents.create(html)).id).not.toBe((await snap.documents.create(markdown)).id);
    const expiryMsOf = async (ttlSeconds: number): Promise<number> =>
      Date.parse((await snap.documents.create({ html: "<h1>Hi</h1>" }, { ttlSeconds })).expires_at);
    const firstExpiryMs = await expiryMsOf(7200);
    expect(firstExpiryMs - (await expiryMsOf(60))).toBe(0);
    expect((await expiryMsOf(10_800)) - firstExpiryMs).toBeCloseTo(3_600_000, -4);
    expect(await failureOf(snap.documents.create({ files }, { ttlSeconds: 59 }))).toMatchObject({
      code: "validation_failed",
      errors: { documentTtl: ["must be an integer from 60 to 2592000"] },
    });
    await snap.pdf({ url: stored.url });
    await snap.documents.delete(stored.id);
    expect(await failureOf(snap.documents.get(stored.id))).toMatchObject({ code: "not_found" });
  });
});

/** Replaces each value with its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value instanceof Uint8Array || value === null || typeof value !== "object")
    return Object.prototype.toString.call(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Returns the stable parts of an error as property names, which shapeOf keeps. */
async function errorOf(call: Promise<unknown>): Promise<object> {
  const { code, status, errors } = await failureOf(call);
  return { [`${code} ${status}`]: "", ...errors };
}

/** Makes a series of calls, and returns their results without values whose type may differ. */
async function callEverything(snap: SnapClient): Promise<unknown[]> {
  const withoutPeriod = ({ credits, ...result }: ResponseFacts): object => ({
    ...result,
    credits: { ...credits, resetsAt: null },
  });
  const shot = await snap.screenshot(PAGE);
  const batch = await snap.batches.submit({ items: [PAGE, { ...PAGE, pdf: true }] });
  const complete = await snap.batches.wait(batch, { pollIntervalMs: 10 });
  const invalid: ScreenshotCapture = { ...PAGE, quality: 80 };
  const { json } = await snap.screenshot({ ...PAGE, cacheTtl: 60 }, { as: "json" });
  return [
    { ...json, title: "", final_url: "" },
    withoutPeriod(shot),
    withoutPeriod(await snap.screenshot(PAGE)),
    withoutPeriod(await snap.screenshot(PAGE, { ifNoneMatch: shot.etag })),
    withoutPeriod(await snap.pdf({ markdown: "# Hi", cache: false })),
    batch,
    complete,
    await snap.batches.download(complete.items[1] ?? NO_ITEM),
    await snap.documents.create({ html: "<h1>Hi</h1>" }),
    (await snap.usage()).rate_limit,
    await errorOf(snap.screenshot(invalid)),
    await errorOf(snap.batches.submit({ items: [{ ...PAGE, cache: Boolean(0) }] })),
    await errorOf(snap.batches.get("batch_0")),
    await errorOf(snap.documents.get("0".repeat(64))),
  ];
}

/** Sends requests with a token. */
type SendWithToken = (
  path: string,
  init?: Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>;

/** Opens the fake service and the real one, with the same clock. */
async function openBoth(
  clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z")),
): Promise<readonly SendWithToken[]> {
  const { baseUrl, customer } = await openService(undefined, { clock });
  const { token } = await customer();
  return [createFakeService({ now: () => clock.now() }).options, { fetch, baseUrl, token }].map(
    (service): SendWithToken =>
      async (path, { headers, ...init } = {}) =>
        service.fetch(`${service.baseUrl}${path}`, {
          ...init,
          headers: { ...headers, Authorization: `Bearer ${service.token}` },
        }),
  );
}

describe("the fake service and the real one", () => {
  it("return the same shapes for the same calls", async () => {
    const real = await (await openService({ notes: ["blank"] })).client();
    const fake = createClient(createFakeService({ notes: ["blank"] }).options);
    expect(shapeOf(await callEverything(fake))).toEqual(shapeOf(await callEverything(real)));
  });

  const { url } = PAGE;
  const LONG_ENOUGH = "must be at least 3600 in a batch";
  it.each<[name: string, submission: object, errors: object]>([
    ["no items", { items: [] }, { items: ["must be an array of 1 to 20 captures"] }],
    [
      "a cacheTtl that is too short for a batch",
      { items: [{ url, cacheTtl: 3599 }] },
      { "items.0.cacheTtl": [LONG_ENOUGH] },
    ],
    [
      "captures that differ only in their cacheTtl or in explicit defaults",
      {
        items: [
          { url, cacheTtl: 7200 },
          { url, pdf: true },
          { url, scale: 1, cache: true },
        ],
      },
      { "items.2": ["is the same capture as items.0"] },
    ],
    [
      "an unknown field and an invalid webhookUrl",
      { items: [{ url }], webhookURL: url, webhookUrl: "example.com" },
      {
        webhookURL: ["is not a batch field; use items and webhookUrl"],
        webhookUrl: ["must be an absolute URL that starts with http:// or https://"],
      },
    ],
    [
      "invalid items, which do not count as duplicates",
      { items: [{ url, scale: 4, cacheTtl: 60 }, { url, scale: 4, cacheTtl: 60 }, null, null] },
      {
        "items.0.scale": ["must be an integer from 1 to 3"],
        "items.0.cacheTtl": [LONG_ENOUGH],
        "items.1.scale": ["must be an integer from 1 to 3"],
        "items.1.cacheTtl": [LONG_ENOUGH],
        "items.2": ["must be an object with the parameters of a capture"],
        "items.3": ["must be an object with the parameters of a capture"],
      },
    ],
  ])("reject a submission with %s", async (_name, submission, errors) => {
    for (const send of await openBoth()) {
      const response = await send("/renders", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(submission),
      });
      expect([response.status, await response.json()]).toEqual([422, expect.objectContaining({ errors })]);
    }
  });

  it("return the same batch for the same captures with the same idempotency key", async () => {
    for (const send of await openBoth()) {
      const submit = async (submission: object): Promise<{ readonly id?: string }> => {
        const response = await send("/renders", {
          method: "POST",
          headers: { "Content-Type": "application/json", "Idempotency-Key": "order 7" },
          body: JSON.stringify(submission),
        });
        return (await response.json()) as { readonly id?: string };
      };
      const { id } = await submit({ items: [{ url, fullPage: true }] });
      expect(id).toMatch(/^batch_/);
      const explicit = { pdf: false, fullPage: true, cache: true, url };
      for (const item of [explicit, { ...explicit, cacheTtl: 86_400 }])
        expect(await submit({ webhookUrl: null, items: [item] })).toMatchObject({ id });
      for (const submission of [
        { items: [{ url }] },
        { items: [{ url, fullPage: true, cacheTtl: 3600 }] },
        { items: [{ url, fullPage: true }], webhookUrl: "https://example.com/hook" },
      ])
        expect(await submit(submission)).toMatchObject({ code: "idempotency_mismatch" });
    }
  });

  it.each(["", "a".repeat(256), "é", "a\tb"])("reject the idempotency key %j", async (key) => {
    for (const send of await openBoth()) {
      const response = await send("/renders", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": key },
        body: "{}",
      });
      expect([response.status, await response.json()]).toEqual([
        422,
        expect.objectContaining({
          message: "Idempotency-Key must be 1 to 255 printable ASCII characters",
          errors: { "Idempotency-Key": ["must be 1 to 255 printable ASCII characters"] },
        }),
      ]);
    }
  });

  const form = (...paths: readonly string[]): FormData => {
    const files = new FormData();
    for (const path of paths) files.append("files", new Blob(["content"]), path);
    return files;
  };
  it.each<[name: string, body: string | FormData, contentType: string | null, errors: object]>([
    ["an empty page", "", "text/html", { body: ["must not be empty"] }],
    ["empty Markdown", "", "text/markdown", { body: ["must not be empty"] }],
    ["text as a ZIP file", "text", "application/zip", { body: ["must be a well-formed ZIP file"] }],
    [
      "an unknown type",
      "text",
      "text/plain",
      {
        body: [
          "must be sent with Content-Type: text/html, text/markdown, application/zip, multipart/form-data",
        ],
      },
    ],
    [
      "no page",
      form("home/index.html"),
      null,
      { body: ["must contain index.html or index.md at its root; rename or move home/index.html"] },
    ],
    [
      "two pages",
      form("index.html", "index.md"),
      null,
      { "index.md": ["cannot be sent with index.html; send only one of them"] },
    ],
    [
      "unusable paths",
      form("index.html", "../up.css", "a", "a/b", "c.css", "c.css", "e\u0301", "\u00e9"),
      null,
      {
        "../up.css": ["must have a path without empty, . or .. segments"],
        a: ["is both a file and a folder"],
        "c.css": ["is sent more than once"],
        "\u00e9": ["is sent more than once"],
      },
    ],
  ])("reject a document with %s", async (_name, body, contentType, errors) => {
    for (const send of await openBoth()) {
      const headers = contentType === null ? {} : { "Content-Type": contentType };
      const response = await send("/documents", { method: "POST", headers, body });
      expect([response.status, await response.json()]).toEqual([
        422,
        expect.objectContaining({ code: "validation_failed", errors }),
      ]);
    }
  });

  it("store a page whose type has a charset", async () => {
    for (const send of await openBoth()) {
      const headers = { "Content-Type": "Text/HTML; charset=utf-8" };
      const response = await send("/documents", { method: "POST", headers, body: "<h1>Hi</h1>" });
      expect(await response.json()).toMatchObject({ content_type: "text/html", files: 1 });
    }
  });

  it("render a document until it expires or is deleted", async () => {
    const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
    for (const send of await openBoth(clock)) {
      const upload = async (): Promise<StoredDocument> =>
        (await (
          await send("/documents?documentTtl=60", {
            method: "POST",
            headers: { "Content-Type": "text/html" },
            body: "<h1>Hi</h1>",
          })
        ).json()) as StoredDocument;
      const render = async (page: string, parameters = ""): Promise<unknown> => {
        const response = await send(`/snap?url=${encodeURIComponent(page)}${parameters}`);
        return response.ok
          ? response.headers.get("X-Cache")
          : ((await response.json()) as { code: unknown }).code;
      };
      const { id, url: page } = await upload();
      expect(await render(page)).toBe("MISS");
      expect(await render(`${page}#top`, "&pdf=1")).toBe("MISS");
      for (const other of [
        "https://documents.snap.invalid/",
        `https://documents.snap.invalid/${"0".repeat(64)}/`,
        `${page}style.css`,
        `http://documents.snap.invalid/${id}/`,
      ])
        expect(await render(other)).toBe("target_unreachable");
      expect((await send(`/documents/${id}`)).status).toBe(200);
      clock.advance(60_000);
      expect(await render(page)).toBe("HIT");
      expect(await render(page, "&scale=2")).toBe("target_unreachable");
      for (const method of ["GET", "DELETE"])
        expect((await send(`/documents/${id}`, { method })).status).toBe(404);
      await upload();
      expect((await send(`/documents/${id}`, { method: "DELETE" })).status).toBe(204);
      expect(await render(page, "&scale=2")).toBe("target_unreachable");
      expect((await (await send("/usage")).json()) as object).toMatchObject({ credits: { used: 2 } });
    }
  });

  it.each<[ifNoneMatch: string, status: number]>([
    ["ETAG", 304],
    ["W/ETAG", 304],
    ['"other", W/"more",ETAG', 304],
    ["*", 304],
    ['"other"', 200],
    ["other", 200],
  ])("respond to If-None-Match: %s with %d", async (ifNoneMatch, status) => {
    for (const send of await openBoth()) {
      const path = `/snap?url=${encodeURIComponent(url)}`;
      const etag = (await send(path)).headers.get("ETag") ?? "";
      const headers = { "If-None-Match": ifNoneMatch.replace("ETAG", etag) };
      expect((await send(path, { headers })).status).toBe(status);
    }
  });
});

describe("signDelivery()", () => {
  const signingSecret = "s3cret";

  async function completeBatch(): Promise<RenderBatch> {
    const snap = createClient(createFakeService({ pollsPerBatch: 1 }).options);
    const { id } = await snap.batches.submit({ items: [PAGE], webhookUrl: "https://app.example.com/hook" });
    return snap.batches.get(id);
  }

  it("returns a delivery that verifyWebhook and webhookHandler accept", async () => {
    const batch = await completeBatch();
    expect(batch).toMatchObject({ status: "complete", webhook: { delivered_at: null } });
    const { body, headers } = signDelivery(batch, { signingSecret });
    expect(verifyWebhook(body, headers, signingSecret)).toEqual(batch);
    const received: RenderBatch[] = [];
    const handler = webhookHandler(signingSecret, (each) => received.push(each));
    const request = new Request("https://app.example.com/hook", { method: "POST", body, headers });
    expect((await handler(request)).status).toBe(204);
    expect(received).toEqual([batch]);
  });

  it("signs with the given time and secret", async () => {
    const { body, headers } = signDelivery(await completeBatch(), { signingSecret, now: new Date(0) });
    expect(() => verifyWebhook(body, headers, signingSecret)).toThrow(/more than 300 seconds/);
    expect(() => verifyWebhook(body, headers, "other", { now: 0 })).toThrow(/Invalid signature/);
  });
});
