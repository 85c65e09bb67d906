import { openSqliteStorage } from "@snap/storage-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { batchOf, submit } from "./batches.ts";
import { envelopeOf, openService, type OpenOptions, type Reply, type TestService } from "./open-service.ts";

const url = "https://example.com/";
const DAY_MS = 24 * 60 * 60 * 1000;
const KEY = "order 7, retried";

interface Caller {
  readonly service: TestService;
  readonly token: string;
  /** Submits a document with the key, `KEY` by default; with `null`, without one. */
  readonly post: (document: unknown, key?: string | null) => Promise<Reply>;
  /** Ids of the account's batches, newest first. */
  readonly list: () => Promise<string[]>;
}

/** Opens the service on the embedded storage. */
async function openCaller(options: OpenOptions = {}): Promise<Caller> {
  const storage = await openSqliteStorage({ directory: await createTemporaryDirectory() });
  onTestFinished(() => storage.close());
  const service = await openService({ ...options, storage });
  return { service, ...(await createCaller(service)) };
}

async function createCaller(service: TestService): Promise<Omit<Caller, "service">> {
  const { token } = await service.customer();
  return {
    token,
    post: (document, key = KEY) =>
      submit(service, document, { token, headers: key === null ? {} : { "Idempotency-Key": key } }),
    async list() {
      const { body } = await service.send("/v1/renders", { token });
      const { entries } = JSON.parse(body.toString()) as { readonly entries: readonly { id: string }[] };
      return entries.map(({ id }) => id);
    },
  };
}

describe("Idempotency-Key", () => {
  it("returns the first batch in its current state, and charges for it once", async () => {
    const { service, token, post, list } = await openCaller({ worker: true });
    const document = { items: [{ url }, { url, pdf: true }] };
    const first = await post(document);
    expect(first.status).toBe(202);
    const { id } = batchOf(first);
    await service.whenLogged("batch item done", 2);
    const again = await post(document);
    expect(again.status).toBe(202);
    expect(again.headers).toMatchObject({
      location: `https://snap.example.com/v1/renders/${id}`,
      "x-credits-remaining": "998",
    });
    expect(batchOf(again)).toMatchObject({ id, status: "complete", items: [{ credit_cost: 1 }, {}] });
    expect(batchOf(again)).toEqual(batchOf(await service.send(`/v1/renders/${id}`, { token })));
    expect(await list()).toEqual([id]);
    expect(service.renderer.calls).toHaveLength(2);
  });

  it("compares the captures and the webhook, not the bytes", async () => {
    const { post } = await openCaller();
    const webhookUrl = "https://example.com/hook";
    const items = [{ url, format: "jpeg", quality: 80, headers: { a: "1" } }, { url }];
    const { id } = batchOf(await post({ items, webhookUrl }));
    const same = [
      { headers: { a: "1" }, quality: "80", format: "jpeg", url },
      { url, fullPage: false },
    ];
    expect(batchOf(await post({ webhookUrl, items: same })).id).toBe(id);
    const [first, second] = items;
    for (const other of [
      { items },
      { items, webhookUrl: `${webhookUrl}/2` },
      { items: [second, first], webhookUrl },
      { items: [first], webhookUrl },
      { items: [{ ...first, headers: { a: "2" } }, second], webhookUrl },
      { items: [first, { ...second, cacheTtl: 3600 }], webhookUrl },
    ]) {
      const reply = await post(other);
      expect(reply.status).toBe(422);
      expect(reply.headers).toMatchObject({ "cache-control": "no-store", "x-credits-remaining": "1000" });
      expect(envelopeOf(reply)).toEqual({
        code: "idempotency_mismatch",
        message: expect.stringContaining("use a new key"),
        request_id: reply.headers["x-request-id"],
      });
    }
  });

  it("queues one batch for concurrent submissions", async () => {
    const { post, list } = await openCaller();
    const replies = await Promise.all(Array.from({ length: 10 }, () => post({ items: [{ url }] })));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202));
    expect(await list()).toEqual([...new Set(replies.map((reply) => batchOf(reply).id))]);
  });

  it("can be reused after 24 hours", async () => {
    const { service, post, list } = await openCaller();
    const { id } = batchOf(await post({ items: [{ url }] }));
    service.clock.advance(DAY_MS - 1);
    expect(batchOf(await post({ items: [{ url }] })).id).toBe(id);
    service.clock.advance(1);
    const later = batchOf(await post({ items: [{ url, pdf: true }] }));
    expect(await list()).toEqual([later.id, id]);
  });

  it("belongs to one account, and is not required", async () => {
    const { service, post, list } = await openCaller();
    const other = await createCaller(service);
    const document = { items: [{ url }] };
    const { id } = batchOf(await post(document));
    expect(batchOf(await other.post(document)).id).not.toBe(id);
    for (const key of [null, "another key"]) await post(document, key);
    expect(await list()).toHaveLength(3);
    expect(await other.list()).toHaveLength(1);
  });

  it("is not used up by a failed submission", async () => {
    const { service, post } = await openCaller();
    expect((await post({ items: [{ url, quality: 80 }] })).status).toBe(422);
    const others = Array.from({ length: 10 }, (_, index) => post({ items: [{ url }] }, `${index}`));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 202));
    expect((await post({ items: [{ url }] })).status).toBe(429);
    service.clock.advance(60_000);
    expect((await post({ items: [{ url, pdf: true }] })).status).toBe(202);
  });

  it.for(["k", "!", "a b, c~", "x".repeat(255)])("can be %s", async (key) => {
    const { post } = await openCaller();
    const [first, second] = [await post({ items: [{ url }] }, key), await post({ items: [{ url }] }, key)];
    expect(first.status).toBe(202);
    expect(batchOf(second).id).toBe(batchOf(first).id);
  });

  it.for(["", " ", "a\tb", "ä", "x".repeat(256)])("cannot be %j", async (key) => {
    const { post, list } = await openCaller();
    const reply = await post({ items: [{ url }] }, key);
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toMatchObject({
      code: "validation_failed",
      errors: { "Idempotency-Key": ["must be 1 to 255 printable ASCII characters"] },
    });
    expect(await list()).toEqual([]);
  });

  it("cannot be sent twice, even with the same value", async () => {
    const { service, token, list } = await openCaller();
    for (const keys of [
      ["a", "b"],
      ["a", "a"],
    ]) {
      const body = JSON.stringify({ items: [{ url }] });
      const lines = [
        "POST /v1/renders HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        ...keys.map((key) => `Idempotency-Key: ${key}`),
      ];
      const reply = await service.sendRaw(`${lines.join("\r\n")}\r\n\r\n${body}`);
      expect(reply).toContain("HTTP/1.1 422 ");
      expect(reply).toContain('"errors":{"Idempotency-Key":["must be sent only once"]}');
    }
    expect(await list()).toEqual([]);
  });
});
