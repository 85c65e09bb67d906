import { createEngine } from "@snap/engine";
import type { Storage } from "@snap/engine/ports";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";
import { afterEach, describe, expect, it } from "vitest";
import { sampleAccount } from "../../testing/src/suites/account-samples.ts";
import { sampleTotals } from "../../testing/src/suites/history-samples.ts";
import { sampleToken } from "../../testing/src/suites/token-samples.ts";
import { startCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import { finish, sampleBatch } from "./sample-batch.ts";
import { openStorage, useServer } from "./server.ts";

const PERIOD = { accountId: "acct_1", period: { startedAt: 0, resetsAt: 1_000_000 }, granted: 10 };
const reservation = { ...PERIOD, reservationId: "res_1", now: 1, lapsesAt: 900_000 };

/** How many responses to let through before the cut. Every operation below receives fewer than the largest number. */
const SKIPPED_COUNTS = Array.from({ length: 10 }, (_, skipped) => skipped);

describe("a call whose connection is lost before the response", { tags: ["postgres"] }, () => {
  const { server, newDatabase } = useServer();
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0)) await cleanUp();
  });

  const open = async (): Promise<{ storage: Storage; proxy: CuttingProxy; url: string }> => {
    const url = await newDatabase();
    const proxy = await startCuttingProxy(server().port);
    const storage = await openStorage({ url: proxy.url(url.slice(url.lastIndexOf("/") + 1)) });
    // connects, so the next response is the operation's
    await storage.ledger.balance({ ...PERIOD, now: 1 });
    cleanups.push(
      () => storage.close(),
      () => proxy.close(),
    );
    return { storage, proxy, url };
  };
  const journal = async ({ ledger }: Storage): Promise<string[]> =>
    (await ledger.journal({ accountId: "acct_1", limit: 100 })).map(({ kind }) => kind).toReversed();

  it("reserves one credit", async () => {
    const { storage, proxy } = await open();
    proxy.cutResponse(0);
    const { reserved, balance } = await storage.ledger.reserve(reservation);
    expect({ reserved, balance, cut: proxy.hasCut() }).toEqual({
      reserved: true,
      balance: { granted: 10, used: 0, reserved: 1 },
      cut: true,
    });
    expect(await journal(storage)).toEqual(["grant", "reserve"]);
  });

  it("settles once and refunds once", async () => {
    for (const [method, resolution, line] of [
      ["settle", "settled", "settle"],
      ["refund", "refunded", "refund"],
    ] as const) {
      const { storage, proxy } = await open();
      await storage.ledger.reserve(reservation);
      proxy.cutResponse(0);
      expect(await storage.ledger[method]({ reservationId: "res_1", now: 2 })).toBe(resolution);
      expect(proxy.hasCut()).toBe(true);
      expect(await journal(storage)).toEqual(["grant", "reserve", line]);
    }
  });

  it("reverses a charge once", async () => {
    const { storage, proxy } = await open();
    await storage.ledger.reserve(reservation);
    await storage.ledger.settle({ reservationId: "res_1", now: 2 });
    proxy.cutResponse(0);
    expect(await storage.ledger.reverse({ reservationId: "res_1", now: 3 })).toBe("reversed");
    expect(proxy.hasCut()).toBe(true);
    expect(await journal(storage)).toEqual(["grant", "reserve", "settle", "reverse"]);
  });

  it("reverses a capture's charge if its settlement and refund got no response", async () => {
    const { storage, proxy } = await open();
    const { ledger } = storage;
    const engine = createEngine({
      storage: {
        ...storage,
        ledger: { ...ledger, settle: (request) => (proxy.cutOff(), ledger.settle(request)) },
        close: async () => {},
      },
      renderer: createFakeRenderer(),
      secretKey: "a key for this test",
      resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    });
    cleanups.unshift(() => engine.close());
    const account = await engine.accounts.create({ email: "a@b.org", planSlug: "starter", verified: true });
    const { token } = await engine.tokens.create({ accountId: account.id });
    const principal = await engine.authenticate(token);
    const captured = engine.capture({ principal, parameters: { url: "https://example.com/" } });
    await expect(captured).rejects.toMatchObject({ code: "server_error" });
    proxy.restore();
    const kinds = async (): Promise<string[]> =>
      (await ledger.journal({ accountId: account.id, limit: 9 })).map(({ kind }) => kind).toReversed();
    await expect.poll(kinds).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(await engine.credits(account)).toMatchObject({ remaining: 1000, used: 0 });
  });

  it("rotates a token once, so the previous secrets remain valid during the overlap", async () => {
    const former = { secretHash: "01".repeat(32), sealedSigningSecret: "01".repeat(60) };
    const next = { secretHash: "02".repeat(32), sealedSigningSecret: "02".repeat(60), rotatedAt: 5 };
    let cuts = 0;
    for (const skipped of SKIPPED_COUNTS) {
      const { storage, proxy } = await open();
      const account = {
        emailVerifiedAt: null,
        planSlug: null,
        creditsPerPeriod: null,
        requestsPerMinute: null,
        suspendedAt: null,
        deletionStartedAt: null,
      };
      await storage.accounts.insert({ id: "acct_1", email: "a@b.org", createdAt: 1, ...account });
      const token = { accountId: "acct_1", name: null, createdAt: 1, expiresAt: null, rotatedAt: null };
      const { id } = await storage.tokens.insert({ ...token, ...former, abilities: [] });
      proxy.cutResponse(skipped);
      const rotated = await storage.tokens.rotate(id, { ...next, overlapEndsAt: 900 });
      if (proxy.hasCut()) cuts += 1;
      const expected = { ...next, previous: { ...former, endsAt: 900 } };
      expect(rotated).toMatchObject({ rotated: true, token: expected });
      expect((await storage.tokens.find(id))?.token).toMatchObject(expected);
    }
    // begin, lock, update and commit
    expect(cuts).toBeGreaterThanOrEqual(4);
  });

  it("reports that it deleted an account", async () => {
    let cuts = 0;
    for (const skipped of SKIPPED_COUNTS) {
      const { storage, proxy } = await open();
      await storage.accounts.insert(sampleAccount());
      proxy.cutResponse(skipped);
      expect(await storage.accounts.delete({ id: "acct_1", now: 5 })).toBe(true);
      if (proxy.hasCut()) cuts += 1;
      expect(await storage.accounts.delete({ id: "acct_1", now: 6 })).toBe(false);
    }
    // begin, tokens, account, deletion and commit
    expect(cuts).toBeGreaterThanOrEqual(5);
  });

  it("stores a batch once", async () => {
    let cuts = 0;
    for (const skipped of SKIPPED_COUNTS) {
      const { storage, proxy } = await open();
      proxy.cutResponse(skipped);
      await storage.batches.insert(sampleBatch("batch_1"));
      if (proxy.hasCut()) cuts += 1;
      expect((await storage.batches.find("batch_1"))?.items).toHaveLength(1);
    }
    // at least begin, batch, items, notification and commit
    expect(cuts).toBeGreaterThanOrEqual(5);
  });

  it("finishes and charges an item once", async () => {
    let cuts = 0;
    for (const skipped of SKIPPED_COUNTS) {
      const { storage, proxy } = await open();
      await storage.batches.insert(sampleBatch("batch_1"));
      await storage.ledger.reserve(reservation);
      proxy.cutResponse(skipped);
      const request = { batchId: "batch_1", now: 5, settle: "res_1" };
      const changed = await storage.batches.change({ ...request, change: finish });
      if (proxy.hasCut()) cuts += 1;
      expect(changed).toEqual(finish(sampleBatch("batch_1")));
      expect(await storage.batches.find("batch_1")).toEqual(finish(sampleBatch("batch_1")));
      expect(await journal(storage)).toEqual(["grant", "reserve", "settle"]);
      expect(await storage.ledger.refund({ reservationId: "res_1", now: 6 })).toBe("settled");
    }
    // begin, lock, settle, items, batch, delivery and commit
    expect(cuts).toBeGreaterThanOrEqual(7);
  });

  it("adds to the totals of the history at most once", async () => {
    const { storage, proxy } = await open();
    const totals = [sampleTotals({ renders: 3 })];
    await storage.history.append({ entries: [], totals });
    proxy.cutResponse(0);
    await expect(storage.history.append({ entries: [], totals })).rejects.toThrow("Connection terminated");
    expect(proxy.hasCut()).toBe(true);
    const [sum] = await storage.history.usage({ from: "2026-01-01", to: "2026-01-01", by: "day" });
    expect(sum?.renders).toBe(6);
  });

  it("does not report a deleted document as unknown", async () => {
    const { storage, proxy } = await open();
    const key = { accountId: "acct_1", id: "0f".repeat(32) };
    const file = { path: "index.html", contentType: "text/html", bytes: Buffer.from("hello") };
    const document = { ...key, contentType: "text/html", bytes: 5, files: 1, storedAt: 1, expiresAt: 9 };
    await storage.documents.put({ document, files: [file], quota: { documents: 1, bytes: 5 } });
    proxy.cutResponse(0);
    await expect(storage.documents.delete({ ...key, now: 2 })).rejects.toThrow("Connection terminated");
    expect(proxy.hasCut()).toBe(true);
    expect(await storage.documents.find({ ...key, now: 2 })).toBeNull();
  });

  it("does not report deleted tokens or sign-ins as missing", async () => {
    const { storage, proxy } = await open();
    await storage.accounts.insert(sampleAccount());
    await storage.tokens.insert(sampleToken());
    await storage.signIns.insert({ kind: "session", hash: "0f".repeat(32), expiresAt: 9 });
    for (const remove of [() => storage.tokens.revokeAll("acct_1"), () => storage.signIns.clear()]) {
      // connects
      await storage.accounts.list();
      proxy.cutResponse(0);
      await expect(remove()).rejects.toThrow("Connection terminated");
      expect(proxy.hasCut()).toBe(true);
    }
    expect(await storage.tokens.listByAccount("acct_1")).toEqual([]);
    expect(await storage.signIns.clear()).toBe(0);
  });

  it("records a delivery attempt once", async () => {
    let cuts = 0;
    for (const skipped of SKIPPED_COUNTS) {
      const { storage, proxy } = await open();
      await storage.batches.insert(sampleBatch("batch_1"));
      proxy.cutResponse(skipped);
      const result = { status: 204, failure: null, body: "" };
      const attempt = { accountId: "acct_1", at: 1, attempt: 1, durationMs: 5, ...result };
      await storage.batches.recordAttempt({ id: "dlv_1", batchId: "batch_1", ...attempt });
      if (proxy.hasCut()) cuts += 1;
      expect((await storage.batches.attempts({ limit: 10 })).entries).toHaveLength(1);
    }
    // begin, lock, insert, delete and commit
    expect(cuts).toBeGreaterThanOrEqual(5);
  });
});
