import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { type DocumentUpload, type Engine, type Principal, type Storage } from "../../src/index.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const DAY_MS = 86_400_000;
const UNKNOWN = "0".repeat(64);

let storage: Storage;
let clock: ReturnType<typeof createFakeClock>;
let engine: Engine;
let ada: Principal;

beforeEach(async () => {
  storage = createMemoryStorage();
  clock = createFakeClock(START_MS);
  engine = openTestEngine({ storage, clock });
  ada = await newPrincipal("ada@example.com");
});

const newPrincipal = (email: string, verified = true): Promise<Principal> =>
  createPrincipal(engine, { email, verified, planSlug: null });

function create(html: string, principal = ada, ttlSeconds?: number) {
  return engine.documents.create({ principal, content: { html }, ttlSeconds });
}

describe("documents", () => {
  it("can be stored without a plan or credits, and found and deleted by their account", async () => {
    const stored = await create("<p>Hello</p>");
    expect(stored).toEqual({
      id: "8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb",
      url: "https://documents.snap.invalid/8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb/",
      content_type: "text/html",
      bytes: 12,
      files: 1,
      expires_at: "2026-03-02T12:00:00.000Z",
    });
    const request = { principal: ada, id: stored.id };
    expect(await engine.documents.find(request)).toEqual(stored);
    await engine.documents.delete(request);
    for (const method of ["find", "delete"] as const)
      await expect(engine.documents[method](request)).rejects.toMatchObject({ code: "not_found" });
  });

  it("expire, and keep the later expiry if they are stored again", async () => {
    const { id } = await create("a", ada, 60);
    expect((await create("a", ada, 3600)).expires_at).toBe("2026-03-01T13:00:00.000Z");
    expect((await create("a", ada, 60)).expires_at).toBe("2026-03-01T13:00:00.000Z");
    clock.advance(3_600_000);
    await expect(engine.documents.find({ principal: ada, id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("look exactly like unknown documents to another account, which cannot delete them", async () => {
    const { id } = await create("a");
    const eve = await newPrincipal("eve@example.com");
    const errors: unknown[] = [];
    for (const requestedId of [id, UNKNOWN])
      for (const method of ["find", "delete"] as const)
        await engine.documents[method]({ principal: eve, id: requestedId }).catch((error: unknown) =>
          errors.push(error),
        );
    expect(errors).toHaveLength(4);
    expect(new Set(errors.map((error) => JSON.stringify([error, String(error)]))).size).toBe(1);
    expect(await engine.documents.find({ principal: ada, id })).toMatchObject({ id });
  });

  it.each([59, 2_592_001, 60.5, NaN, -60])("cannot have a lifetime of %d s", async (ttlSeconds) => {
    await expect(create("a", ada, ttlSeconds)).rejects.toMatchObject({
      code: "validation_failed",
      errors: { documentTtl: ["must be an integer from 60 to 2592000"] },
    });
  });

  it("cannot be stored, found or deleted without a verified email address", async () => {
    const principal = await newPrincipal("new@example.com", false);
    const request = { principal, id: UNKNOWN };
    for (const attempt of [
      () => create("a", principal),
      () => engine.documents.find(request),
      () => engine.documents.delete(request),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "email_unverified" });
  });

  it("are limited to 60 uploads a minute, successful or not; the next is rejected before its content is received", async () => {
    let received = 0;
    const content: DocumentUpload = {
      async receive() {
        received += 1;
        return Buffer.from("");
      },
      unpack: async () => ({ files: [] }),
    };
    const upload = () => engine.documents.create({ principal: ada, content });
    for (let count = 0; count < 30; count += 1) {
      await create("a");
      await expect(upload()).rejects.toMatchObject({ code: "validation_failed" });
    }
    await expect(upload()).rejects.toMatchObject({
      code: "rate_limited",
      message: "Rate limit of 60 uploads per minute reached; retry in 60 s.",
      rateLimit: { limit: 60, remaining: 0 },
    });
    expect(received).toBe(30);
    await create("a", await newPrincipal("eve@example.com"));
    clock.advance(60_000);
    await create("a");
  });

  it("are limited to 200, and to 500 MiB, per account", async () => {
    for (let count = 0; count < 200; count += 1) {
      await create(`${count}`);
      clock.advance(1000);
    }
    const stored = "200 documents (490 bytes) are stored";
    await expect(create("one more")).rejects.toMatchObject({
      code: "validation_failed",
      message: `The document would exceed the account's limit of 200 stored documents: ${stored}; delete some, or wait until some expire. A shorter documentTtl frees space sooner.`,
      errors: { body: ["would exceed the account's limit of 200 stored documents"] },
    });
    await create("7");
    clock.advance(DAY_MS);
    const files = (count: number) => [
      { path: "index.html", bytes: `${count}` },
      { path: "large.bin", bytes: new Uint8Array(52_000_000) },
    ];
    const upload = (count: number) =>
      engine.documents.create({ principal: ada, content: { files: files(count) } });
    for (let count = 0; count < 10; count += 1) await upload(count);
    await expect(upload(10)).rejects.toMatchObject({
      errors: { body: ["would exceed the account's limit of 524288000 bytes of stored documents"] },
    });
  });

  /** `upload` waits in `step` until released; `started` lists the uploads that have reached it. */
  const holdUploads = (step: "receive" | "unpack") => {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const reach = async (one: typeof step, name: string): Promise<void> => {
      if (one !== step) return;
      started.push(name);
      await new Promise<void>((resolve) => releases.push(resolve));
    };
    const upload = (principal: Principal, name: string) =>
      engine.documents.create({
        principal,
        content: {
          async receive() {
            await reach("receive", name);
            return Buffer.from(name);
          },
          async unpack(html) {
            await reach("unpack", name);
            return { html };
          },
        },
      });
    return { started, releases, upload };
  };

  it("are received two at a time per account", async () => {
    const { started, releases, upload } = holdUploads("receive");
    const eve = await newPrincipal("eve@example.com");
    const uploads = [upload(ada, "a1"), upload(ada, "a2"), upload(ada, "a3"), upload(eve, "e1")];
    await expect.poll(() => started).toEqual(["a1", "a2", "e1"]);
    releases[0]?.();
    await uploads[0];
    await expect.poll(() => started).toEqual(["a1", "a2", "e1", "a3"]);
    for (const release of releases) release();
    expect(await Promise.all(uploads)).toHaveLength(4);
  });

  it("are stored one at a time per account", async () => {
    const { started, releases, upload } = holdUploads("unpack");
    const eve = await newPrincipal("eve@example.com");
    const uploads = [upload(ada, "a1"), upload(ada, "a2"), upload(eve, "e1")];
    await expect.poll(() => started.toSorted()).toEqual(["a1", "e1"]);
    for (const release of releases.splice(0)) release();
    await expect.poll(() => started.length).toBe(3);
    for (const release of releases) release();
    expect(await Promise.all(uploads)).toHaveLength(3);
  });

  it("are pruned after they expire, and deleted with their account", async () => {
    const { id } = await create("a", ada, 60);
    await create("b");
    clock.advance(60_000);
    // a render that started before the expiry can read it until its reservation lapses
    clock.advance(135_000);
    const key = { accountId: ada.account.id, id, now: START_MS };
    await expect.poll(() => storage.documents.find(key)).toBeNull();
    expect(await engine.accounts.delete(ada.account.id)).toMatchObject({ documents: 1 });
    await create("c");
    expect(await storage.documents.deleteAccount({ accountId: ada.account.id, now: START_MS })).toBe(0);
  });
});
