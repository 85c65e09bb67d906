import { createS3Store, SnapError, type EngineOptions } from "@snap/engine";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  openObjectStore,
  STORE_CREDENTIALS,
  type ObjectStoreServer,
  type StoreFault,
} from "../../../testing/test/servers/object-store.ts";
import { CLIENTS } from "../mcp/clients.ts";
import { batchOf, remainingRequests, submit } from "./batches.ts";
import {
  envelopeOf,
  openService,
  signedQuery,
  type OpenOptions,
  type Reply,
  type TestService,
} from "./open-service.ts";

/* Renderings are stored with real signatures, over real sockets, in a store that can fail. */

const url = "https://example.com/";
const HOUR_MS = 3_600_000;

let server: ObjectStoreServer;
beforeAll(async () => {
  server = await openObjectStore();
});
afterAll(() => server.close());
beforeEach(() => server.clear());

function openWithStore(options: OpenOptions = {}, accountIds?: readonly string[]): Promise<TestService> {
  const bucket = { ...STORE_CREDENTIALS, endpoint: server.origin, prefix: "snap" };
  const stores: EngineOptions["stores"] = { archive: { store: createS3Store(bucket), accountIds } };
  return openService({ stores, ...options });
}

const keys = (): string[] => [...server.objects.keys()];
const locationOf = ({ headers }: Reply): string | undefined => headers["x-stored-location"]?.toString();

async function creditsLeft({ send }: TestService, token: string): Promise<string | undefined> {
  return (await send("/v1/usage", { token })).headers["x-credits-remaining"]?.toString();
}

describe("storeTo", () => {
  it("stores what the response contains, under the account's prefix, before it charges", async () => {
    const service = await openWithStore();
    const { id, token } = await service.customer({ credits: 10 });
    const { ledger } = service.storage;
    const settle = ledger.settle.bind(ledger);
    const storedWhenCharged: string[][] = [];
    vi.spyOn(ledger, "settle").mockImplementation((request) => {
      storedWhenCharged.push(keys());
      return settle(request);
    });
    const reply = await service.snap({ url, format: "webp", storeTo: "archive" }, { token });
    const key = `snap/${id}/example.com/2026-03-01/${reply.headers["x-request-id"]?.toString()}.webp`;
    expect(reply.status).toBe(200);
    expect(locationOf(reply)).toBe(`s3://renderings/${key}`);
    expect(server.objects.get(key)).toEqual({ bytes: reply.body, contentType: "image/webp" });
    expect(reply.headers["x-credits-remaining"]).toBe("9");
    expect(storedWhenCharged).toEqual([[key]]);
  });

  it.each([
    [{ pdf: "true", storeKey: "a/{host}-{date}.{ext}" }, "a/example.com-2026-03-01.pdf", "application/pdf"],
    [{ format: "jpeg", storeKey: "ä b.{ext}" }, "ä b.jpeg", "image/jpeg"],
    [
      { url: "http://[2606:4700::1111]/", storeKey: "{host}/{host}" },
      "2606:4700::1111/2606:4700::1111",
      "image/png",
    ],
  ])("replaces the placeholders in %j", async (query, key, contentType) => {
    const service = await openWithStore();
    const { id, token } = await service.customer();
    const reply = await service.snap({ url, ...query, storeTo: "archive" }, { token });
    expect(reply.status).toBe(200);
    expect(server.objects.get(`snap/${id}/${key}`)).toEqual({ bytes: reply.body, contentType });
  });

  it("stores cached renderings free of charge, even for callers that already have them", async () => {
    const service = await openWithStore();
    const { id, token } = await service.customer({ credits: 10 });
    const rendered = await service.snap({ url }, { token });
    expect(locationOf(rendered)).toBeUndefined();
    const query = { url, storeTo: "archive", storeKey: "{date}" };
    const hit = await service.snap(query, { token });
    expect(hit.headers).toMatchObject({ "x-cache": "HIT", "x-ratelimit-limit": "300" });
    expect(hit.body).toEqual(server.objects.get(`snap/${id}/2026-03-01`)?.bytes);
    server.objects.clear();
    const headers = { "If-None-Match": String(rendered.headers.etag) };
    const held = await service.snap(query, { token, headers });
    expect([held.status, locationOf(held)]).toEqual([304, locationOf(hit)]);
    expect(server.objects.get(`snap/${id}/2026-03-01`)?.bytes).toEqual(rendered.body);
    expect(await remainingRequests(service, { accountId: id, name: "cached" })).toBe(98);
    expect(await creditsLeft(service, token)).toBe("9");
    expect(service.renderer.calls).toHaveLength(1);
  });

  it("stores once for each of the requests that share a render", async () => {
    const service = await openWithStore();
    const { id, token } = await service.customer({ credits: 10 });
    const release = service.renderer.hold();
    const replies = ["a", "b", "c"].map((storeKey) =>
      service.snap({ url, storeTo: "archive", storeKey }, { token }),
    );
    await service.renderer.whenCalled(1);
    release();
    const bodies = (await Promise.all(replies)).map(({ body }) => body);
    for (const [index, name] of ["a", "b", "c"].entries())
      expect(server.objects.get(`snap/${id}/${name}`)?.bytes).toEqual(bodies[index]);
    expect(service.renderer.calls).toHaveLength(1);
    expect(await creditsLeft(service, token)).toBe("9");
  });

  it("stores without caching", async () => {
    const service = await openWithStore();
    const { token } = await service.customer();
    const reply = await service.snap({ url, cache: "0", storeTo: "archive" }, { token });
    expect([reply.status, keys().length]).toEqual([200, 1]);
    expect((await service.snap({ url }, { token })).headers["x-cache"]).toBe("MISS");
  });

  it("stores captures of HTML and tool results, whose links work", async () => {
    const service = await openWithStore();
    const { id, token } = await service.customer();
    const body = JSON.stringify({ html: "<h1>Hello</h1>", storeTo: "archive", storeKey: "hello.{ext}" });
    const headers = { "Content-Type": "application/json" };
    const captured = await service.send("/v1/captures", { method: "POST", token, body, headers });
    expect(server.objects.get(`snap/${id}/hello.png`)?.bytes).toEqual(captured.body);

    const session = await CLIENTS["the older client"]({ origin: service.service.origin, token });
    const { structuredContent, content } = await session.call("create-pdf", {
      url,
      storeTo: "archive",
      storeKey: "tool.{ext}",
    });
    const location = `s3://renderings/snap/${id}/tool.pdf`;
    expect(structuredContent).toMatchObject({ stored_location: location });
    expect(content[1]?.["text"]).toContain(`Stored at ${location}.`);
    const { pathname, search } = new URL(String(structuredContent?.["signed_url"]));
    const linked = await service.send(pathname + search);
    expect(linked.headers["x-cache"]).toBe("HIT");
    expect(server.objects.get(`snap/${id}/tool.pdf`)?.bytes).toEqual(linked.body);
  });

  it("appears in the history", async () => {
    const service = await openWithStore({ historyRetentionMs: HOUR_MS });
    const { token } = await service.customer();
    server.failNext(403);
    await service.snap({ url, storeTo: "archive" }, { token });
    service.clock.advance(1_000);
    await expect
      .poll(async () => (await service.engine.history.page({ limit: 1 })).entries)
      .toMatchObject([{ code: "store_failed", parameters: { url, storeTo: "archive" }, creditCost: 0 }]);
  });

  it("stores and charges nothing if the render fails", async () => {
    const service = await openWithStore();
    const { token } = await service.customer({ credits: 10 });
    service.renderer.failNext(new SnapError("render_timeout", "The page took too long."));
    expect((await service.snap({ url, storeTo: "archive" }, { token })).status).toBe(504);
    expect(keys()).toEqual([]);
    expect(await creditsLeft(service, token)).toBe("10");
  });
});

describe("in batches", () => {
  it("items are stored under their ids, and their signed URLs do not store anything", async () => {
    const service = await openWithStore({ worker: true });
    const { id, token } = await service.customer({ credits: 10 });
    const items = [
      { url, storeTo: "archive" },
      { url, pdf: true, storeTo: "archive", storeKey: "batch/{id}.{ext}" },
      { url, format: "webp" },
    ];
    const { id: batchId } = batchOf(await submit(service, { items }, { token }));
    await service.whenLogged("batch item done", 3);
    const batch = batchOf(await service.send(`/v1/renders/${batchId}`, { token }));
    const [first, second, third] = batch.items;
    const [firstKey, secondKey] = [
      `snap/${id}/example.com/2026-03-01/${first?.id}.png`,
      `snap/${id}/batch/${second?.id}.pdf`,
    ];
    expect(batch.items.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(first?.stored_location).toBe(`s3://renderings/${firstKey}`);
    expect(second?.stored_location).toBe(`s3://renderings/${secondKey}`);
    expect(third).not.toHaveProperty("stored_location");
    expect(keys().toSorted()).toEqual([firstKey, secondKey].toSorted());
    const { pathname, search } = new URL(first?.signed_url ?? "");
    expect(search).not.toContain("store");
    const linked = await service.send(pathname + search);
    expect(server.objects.get(firstKey)?.bytes).toEqual(linked.body);
  });

  it("an item waits for a store that is not available, and renders again", async () => {
    const service = await openWithStore({ worker: true, startMs: Date.parse("2026-03-01T23:59:30Z") });
    const { id, token } = await service.customer({ credits: 10 });
    server.failNext(503);
    const items = [{ url, storeTo: "archive", storeKey: "{date}.png" }];
    const { id: batchId } = batchOf(await submit(service, { items }, { token }));
    const statusOf = async (): Promise<unknown> =>
      batchOf(await service.send(`/v1/renders/${batchId}`, { token })).items[0]?.status;
    await service.whenLogged("batch item postponed");
    expect(service.lines).toContainEqual(
      expect.objectContaining({ code: "store_failed", detail: "store archive: 503 SlowDown" }),
    );
    expect(await statusOf()).toBe("queued");
    // past midnight, but the date is that of the submission
    service.clock.advance(60_000);
    await service.whenLogged("batch item done");
    const [item] = batchOf(await service.send(`/v1/renders/${batchId}`, { token })).items;
    expect(item).toMatchObject({ status: "done", credit_cost: 1 });
    expect(keys()).toEqual([`snap/${id}/2026-03-01.png`]);
    expect(service.renderer.calls).toHaveLength(2);
  });

  it("an item fails if the store refuses it", async () => {
    const service = await openWithStore({ worker: true });
    const { token } = await service.customer({ credits: 10 });
    server.failNext(403);
    const { id } = batchOf(await submit(service, { items: [{ url, storeTo: "archive" }] }, { token }));
    await service.whenLogged("batch item failed");
    const [item] = batchOf(await service.send(`/v1/renders/${id}`, { token })).items;
    expect(item).toMatchObject({ status: "failed", credit_cost: 0, error: { code: "store_failed" } });
    expect(await creditsLeft(service, token)).toBe("10");
  });
});

describe("a store that fails", () => {
  it.each<[StoreFault, string]>([
    [403, "store archive: 403 AccessDenied"],
    [500, "store archive: 500 InternalError"],
    [503, "store archive: 503 SlowDown"],
    ["resets", "store archive: the connection was lost, or the response is too long or not valid HTTP"],
  ])("%j: 502 store_failed, refunded, no object, nothing cached", async (fault, detail) => {
    const service = await openWithStore();
    const { token } = await service.customer({ credits: 10 });
    server.failNext(fault);
    const query = { url, storeTo: "archive", storeKey: "a.png" };
    const reply = await service.snap(query, { token });
    expect([reply.status, envelopeOf(reply).code]).toEqual([502, "store_failed"]);
    expect(reply.headers).toMatchObject({ "retry-after": "5", "x-credits-remaining": "10" });
    expect(envelopeOf(reply).message).not.toMatch(/archive|SlowDown|127/);
    expect(service.lines).toContainEqual(expect.objectContaining({ detail }));
    expect(keys()).toEqual([]);
    const retried = await service.snap(query, { token });
    expect([retried.status, retried.headers["x-cache"], keys().length]).toEqual([200, "MISS", 1]);
    expect(service.renderer.calls).toHaveLength(2);
    expect(await creditsLeft(service, token)).toBe("9");
  });

  it("no response: 502 store_failed, and another store can be used", async () => {
    const bucket = { ...STORE_CREDENTIALS, endpoint: server.origin };
    const archive = { store: createS3Store(bucket) };
    const hasty = { store: createS3Store({ ...bucket, timeoutMs: 50 }) };
    const service = await openService({ stores: { archive, hasty } });
    const { token } = await service.customer({ credits: 10 });
    server.failNext("silent");
    const reply = await service.snap({ url, storeTo: "hasty" }, { token });
    expect([reply.status, envelopeOf(reply).code]).toEqual([502, "store_failed"]);
    const detail = "store hasty: no response within 50 ms";
    expect(service.lines).toContainEqual(expect.objectContaining({ detail }));
    server.clear();
    const retried = await service.snap({ url, storeTo: "archive" }, { token });
    expect([retried.status, retried.headers["x-cache"], keys().length]).toEqual([200, "MISS", 1]);
    expect(await creditsLeft(service, token)).toBe("9");
  });

  it("affects only the request that stores; of those that wait for its render, one renders and pays", async () => {
    const service = await openWithStore();
    const { token } = await service.customer({ credits: 10 });
    const release = service.renderer.hold();
    const stored = service.snap({ url, storeTo: "archive" }, { token });
    await service.renderer.whenCalled(1);
    const joined = ["a", "b"].map((id) => service.snap({ url }, { token, headers: { "X-Test": id } }));
    server.failNext(500);
    release();
    expect((await stored).status).toBe(502);
    const replies = await Promise.all(joined);
    expect(
      replies.map(({ status, headers }) => `${status} ${String(headers["x-cache"])}`).toSorted(),
    ).toEqual(["200 HIT", "200 MISS"]);
    expect(service.renderer.calls).toHaveLength(2);
    expect(await creditsLeft(service, token)).toBe("9");
  });
});

describe("the service returns 422 for", () => {
  const KEY_RULES =
    "must be a path without empty, . or .. segments, backslashes or control characters, encoded or not, and with braces only in {host}, {date}, {id} and {ext}, 1 to 512 characters long";
  it.each([
    ["an empty value", ""],
    ["a leading slash", "/a"],
    ["a trailing slash", "a/"],
    ["an empty segment", "a//b"],
    ["a parent segment", "../a"],
    ["a parent segment in the middle", "a/../b"],
    ["a current segment", "a/./b"],
    ["a backslash", "a\\..\\b"],
    ["an encoded parent", "%2e%2E/a"],
    ["a half-encoded parent", "a/.%2e/b"],
    ["an encoded slash", "a%2Fb"],
    ["an encoded backslash", "a%5cb"],
    ["an encoded control character", "a%00b"],
    ["a parent with a space", "a/.. /b"],
    ["a parent with an encoded space", "a/..%20/b"],
    ["a segment of spaces", "a/  /b"],
    ["a control character", "a\u0000b"],
    ["a line break", "a\nb"],
    ["a bidirectional control", "a\u202Eb"],
    ["an unknown placeholder", "{account}/a"],
    ["an open brace", "{host"],
    ["a lone brace", "a}b"],
    ["513 characters", "a".repeat(513)],
  ])("storeKey with %s", async (_, storeKey) => {
    const service = await openWithStore();
    const { token } = await service.customer();
    const reply = await service.snap({ url, storeTo: "archive", storeKey }, { token });
    expect([reply.status, envelopeOf(reply).errors]).toEqual([422, { storeKey: [KEY_RULES] }]);
    expect(service.renderer.calls).toEqual([]);
  });

  it("a key of more than 900 bytes, including the account's prefix", async () => {
    const service = await openWithStore();
    const { token } = await service.customer();
    const reply = await service.snap({ url, storeTo: "archive", storeKey: "日".repeat(300) }, { token });
    expect([reply.status, envelopeOf(reply).errors]).toEqual([
      422,
      {
        storeKey: ["must result in a key of at most 900 bytes, including the account's prefix; shorten it"],
      },
    ]);
    expect(service.renderer.calls).toEqual([]);
    const items = [{ url, storeTo: "archive", storeKey: "日".repeat(300) }];
    const submitted = await submit(service, { items }, { token });
    expect([submitted.status, envelopeOf(submitted).errors]).toEqual([
      422,
      {
        "items.0.storeKey": [
          "must result in a key of at most 900 bytes, including the account's prefix; shorten it",
        ],
      },
    ]);
  });

  it("a key in which {ext} could complete a percent-encoded character", async () => {
    const service = await openWithStore();
    const { token } = await service.customer();
    const reply = await service.snap({ url, storeTo: "archive", storeKey: "x%0{ext}" }, { token });
    expect([reply.status, envelopeOf(reply).errors]).toEqual([
      422,
      {
        storeKey: [
          "must result in a path without empty, . or .. segments, backslashes or control characters, encoded or not",
        ],
      },
    ]);
    expect(service.renderer.calls).toEqual([]);
  });

  it("a key with a segment that is longer than file systems accept", async () => {
    const service = await openWithStore();
    const { token } = await service.customer();
    const long = await service.snap({ url, storeTo: "archive", storeKey: `a/${"b".repeat(256)}` }, { token });
    const errors = { storeKey: ["must result in segments of at most 255 bytes; shorten it"] };
    expect([long.status, envelopeOf(long).errors]).toEqual([422, errors]);
    expect(service.renderer.calls).toEqual([]);
    const fits = { url, storeTo: "archive", storeKey: `a/${"b".repeat(255)}` };
    expect((await service.snap(fits, { token })).status).toBe(200);
  });

  it("storeKey without storeTo", async () => {
    const service = await openWithStore();
    const { token } = await service.customer();
    const reply = await service.snap({ url, storeKey: "a" }, { token });
    expect([reply.status, envelopeOf(reply).errors]).toEqual([422, { storeKey: ["requires storeTo"] }]);
  });

  it("a store that does not exist, or belongs to another account", async () => {
    const owned = await openWithStore({}, ["acct_another"]);
    const { token } = await owned.customer();
    const noStoreErrors = [
      "requires a store, and this account has none; ask the operator to set one up for it in SNAP_STORES_FILE (or stores, for an embedded engine)",
    ];
    const reply = await owned.snap({ url, storeTo: "archive" }, { token });
    expect([reply.status, envelopeOf(reply).errors]).toEqual([422, { storeTo: noStoreErrors }]);
    const batch = await submit(owned, { items: [{ url, storeTo: "archive" }] }, { token });
    expect([batch.status, envelopeOf(batch).errors]).toEqual([422, { "items.0.storeTo": noStoreErrors }]);

    const service = await openWithStore();
    const customer = await service.customer();
    for (const storeTo of ["backup", "constructor"]) {
      const unknown = await service.snap({ url, storeTo }, { token: customer.token });
      expect([unknown.status, envelopeOf(unknown).errors]).toEqual([
        422,
        { storeTo: ["is not the name of a store; use archive"] },
      ]);
    }
  });

  it("storeTo in a signed URL", async () => {
    const service = await openWithStore();
    const { token, tokenId, signingSecret } = await service.customer();
    await service.snap({ url }, { token });
    const query = signedQuery({ url, storeTo: "archive", tokenId }, signingSecret);
    const reply = await service.send(`/v1/snap/signed?${query}`);
    expect([reply.status, envelopeOf(reply).errors]).toEqual([
      422,
      {
        storeTo: [
          "cannot be part of a signed URL, because anyone with it could write to the store; send the request with a token instead",
        ],
      },
    ]);
    expect(keys()).toEqual([]);
  });
});
