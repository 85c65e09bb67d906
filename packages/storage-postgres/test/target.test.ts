import type { TransferPage, TransferTarget } from "@snap/engine/ports";
import { afterEach, describe, expect, it } from "vitest";
import { openPostgresTarget } from "../src/index.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { finish, sampleBatch } from "./sample-batch.ts";
import { execute, openStorage, useServer } from "./server.ts";

const ACCOUNT = {
  id: "acct_1",
  email: "ädä@exämple.com",
  emailVerifiedAt: 1,
  planSlug: "starter",
  creditsPerPeriod: null,
  requestsPerMinute: 5,
  createdAt: 1,
  suspendedAt: null,
  deletionStartedAt: null,
};
const TOKEN = {
  id: 41,
  accountId: "acct_1",
  abilities: ["screenshot", "pdf"],
  secretHash: "0f".repeat(32),
  sealedSigningSecret: "a0".repeat(60),
  createdAt: 1,
  expiresAt: null,
  rotatedAt: 2,
  name: "the shop",
  lastUsedAt: 3_600_000,
  previous: { secretHash: "0a".repeat(32), sealedSigningSecret: "0b".repeat(60), endsAt: 9 },
} as const;
const FINISHED_BATCH = finish(sampleBatch("batch_2")) ?? sampleBatch("batch_2");
const JOURNAL_ENTRY = {
  accountId: "acct_1",
  periodStartedAt: 0,
  kind: "reserve",
  credits: 1,
  reservationId: "res_1",
} as const;

const DOCUMENT = {
  document: {
    accountId: "acct_1",
    id: "0f".repeat(32),
    contentType: "application/zip",
    bytes: 7,
    files: 2,
    storedAt: 1,
    expiresAt: 9,
  },
  files: [
    { path: "a/é.png", contentType: "image/png", bytes: new Uint8Array([0, 255, 7, 0]) },
    { path: "index.html", contentType: "text/html; charset=utf-8", bytes: new Uint8Array([1, 2, 3]) },
  ],
} as const;

/** One or two records of each kind. */
const PAGES: readonly TransferPage[] = [
  { kind: "accounts", records: [ACCOUNT, { ...ACCOUNT, id: "acct_0", email: "b@b.org" }], next: "1" },
  {
    kind: "tokens",
    records: [TOKEN, { ...TOKEN, id: 7, abilities: [], name: null, lastUsedAt: null, previous: null }],
    next: "2",
  },
  {
    kind: "balances",
    records: [{ accountId: "acct_1", periodStartedAt: 0, granted: 9, used: 1, reserved: 1 }],
    next: "3",
  },
  {
    kind: "reservations",
    records: [
      { id: "res_1", accountId: "acct_1", periodStartedAt: 0, lapsesAt: 900, state: "open" },
      { id: "res_0", accountId: "acct_1", periodStartedAt: 0, lapsesAt: 900, state: "refused" },
    ],
    next: "4",
  },
  {
    kind: "journal",
    records: [
      { ...JOURNAL_ENTRY, kind: "grant", credits: 9, reservationId: null, at: 5 },
      { ...JOURNAL_ENTRY, at: 3 },
    ],
    next: "5",
  },
  { kind: "batches", records: [FINISHED_BATCH, sampleBatch("batch_1")], next: "6" },
  {
    kind: "idempotencyKeys",
    records: [{ accountId: "acct_1", keyHash: "0a", digest: "0b", expiresAt: 9, batchId: "batch_1" }],
    next: "7",
  },
  { kind: "documents", records: [DOCUMENT], next: "8" },
];

async function writeAll(target: TransferTarget): Promise<void> {
  for (const [index, page] of PAGES.entries())
    await target.write({ position: index === 0 ? null : String(index), page });
}

describe("a transfer target", { tags: ["postgres"] }, () => {
  const { server, newDatabase } = useServer();
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
  });
  const openTarget = async (url: string): Promise<TransferTarget> => {
    const target = await openPostgresTarget({ url });
    cleanups.push(() => target.close());
    return target;
  };

  it("makes all moved records available through the ports", async () => {
    const url = await newDatabase({ migrated: false });
    const target = await openTarget(url);
    expect(await target.begin("one")).toEqual({
      fingerprint: "one",
      position: null,
      moved: 0,
      finished: null,
    });
    await writeAll(target);
    expect(await target.begin("one")).toMatchObject({ position: "8", moved: 13 });
    await target.continueTokenIds(50);
    const totals = await target.totals();
    expect(totals).toEqual({
      accounts: 2,
      tokens: 2,
      lastTokenId: 50,
      balances: 1,
      granted: 9,
      used: 1,
      reserved: 1,
      reservations: 2,
      openReservations: 1,
      journalLines: 2,
      journalGranted: 9,
      journalReserved: 1,
      journalSettled: 0,
      journalRefunded: 0,
      journalLapsed: 0,
      journalReversed: 0,
      batches: 2,
      batchItems: 2,
      unfinishedItems: 1,
      deliveries: 1,
      openDeliveries: 1,
      idempotencyKeys: 1,
      documents: 1,
      documentBytes: 7,
    });
    await target.finish(totals);
    expect((await target.begin("another")).finished).toEqual(totals);

    const storage = await openStorage({ url });
    cleanups.push(() => storage.close());
    expect((await storage.accounts.list()).map(({ id }) => id)).toEqual(["acct_1", "acct_0"]);
    expect(await storage.accounts.find("acct_1")).toEqual(ACCOUNT);
    expect((await storage.tokens.find(41))?.token).toEqual(TOKEN);
    const { id: _, ...next } = TOKEN;
    expect((await storage.tokens.insert(next)).id).toBe(51);
    const lines = await storage.ledger.journal({ accountId: "acct_1", limit: 9 });
    expect(lines.map(({ at }) => at)).toEqual([3, 5]);
    expect(await storage.ledger.settle({ reservationId: "res_0", now: 6 })).toBe("unknown");
    expect(await storage.ledger.settle({ reservationId: "res_1", now: 6 })).toBe("settled");
    expect(await storage.batches.find("batch_1")).toEqual(sampleBatch("batch_1"));
    expect(await storage.batches.find("batch_2")).toEqual(FINISHED_BATCH);
    const claim = { keyHash: "0a", digest: "0c", expiresAt: 20 };
    expect(await storage.batches.insert(sampleBatch("batch_3"), claim)).toMatchObject({
      batch: { id: "batch_1" },
      digest: "0b",
    });
    const key = { accountId: "acct_1", id: DOCUMENT.document.id, now: 1 };
    expect(await storage.documents.find(key)).toEqual(DOCUMENT.document);
    for (const file of DOCUMENT.files)
      expect(await storage.documents.readFile({ ...key, path: file.path })).toEqual(file);
    expect(await storage.batches.dueItems({ now: 9, limit: 9, exceptAccounts: [] })).toEqual([
      { accountId: "acct_1", batchId: "batch_1", itemId: "item_1" },
    ]);
  });

  it("reads the totals of a data migration that an older release finished", async () => {
    const url = await newDatabase();
    const target = await openTarget(url);
    await target.begin("one");
    const totals = await target.totals();
    await target.finish(totals);
    await execute(
      url,
      "UPDATE snap.moves SET figures = (figures::JSONB - '{journalReversed,documents,documentBytes,idempotencyKeys}'::TEXT[])::TEXT",
    );
    expect((await target.begin("one")).finished).toEqual(totals);
  });

  it("assigns id 1 to the first token if none was moved", async () => {
    const url = await newDatabase();
    const target = await openTarget(url);
    await target.begin("one");
    await target.continueTokenIds(0);
    expect((await target.totals()).lastTokenId).toBe(0);
    await target.finish(await target.totals());
    const [row] = await execute<{ id: string }>(url, "SELECT nextval('snap.tokens_id_seq') AS id");
    expect(row?.id).toBe("1");
  });

  it("stores each page once, whichever response is lost", async () => {
    let cuts = 0;
    // begin, lock, up to three inserts, advance, commit
    for (let skipped = 0; skipped < 8; skipped += 1) {
      const url = await newDatabase();
      const proxy = await startCuttingProxy(server().port);
      const target = await openTarget(proxy.url(url.slice(url.lastIndexOf("/") + 1)));
      await target.begin("one");
      let moved = 0;
      for (const [index, page] of PAGES.entries()) {
        proxy.cutResponse(skipped);
        await target.write({ position: index === 0 ? null : String(index), page });
        if (proxy.hasCut()) cuts += 1;
        moved += page.records.length;
        expect(await target.begin("one")).toMatchObject({ position: page.next, moved });
      }
      await target.close();
      cleanups.pop();
      await proxy.close();
    }
    expect(cuts).toBeGreaterThanOrEqual(5 * PAGES.length);
  });

  it("rejects a page that is not the next one", async () => {
    const target = await openTarget(await newDatabase());
    await target.begin("one");
    const [first, second] = PAGES;
    if (first === undefined || second === undefined) throw new Error("no pages");
    await target.write({ position: null, page: first });
    for (const position of [null, "2"])
      await expect(target.write({ position, page: second })).rejects.toThrow(
        "another data migration into this database is in progress",
      );
  });

  it("rejects a database with accounts without changing it", async () => {
    const url = await newDatabase();
    const target = await openTarget(url);
    const storage = await openStorage({ url });
    await storage.accounts.insert(ACCOUNT);
    const message = "the database already contains data (1 account); use an empty one";
    await expect(target.begin("one")).rejects.toThrow(message);
    await expect(openTarget(url)).rejects.toThrow(message);
    expect(await storage.accounts.list()).toEqual([ACCOUNT]);
    await storage.close();
    await (await openStorage({ url })).close();
  });

  it("cannot be used as a storage before the data migration is finished", async () => {
    const url = await newDatabase();
    const target = await openTarget(url);
    await target.begin("one");
    await expect(openStorage({ url })).rejects.toThrow("a data migration into this database is unfinished");
    await target.finish(await target.totals());
    await (await openStorage({ url })).close();
  });

  it("begins only one of two concurrent data migrations", async () => {
    const url = await newDatabase();
    const targets = await Promise.all([openTarget(url), openTarget(url)]);
    const states = await Promise.all(targets.map((target, index) => target.begin(`source ${index}`)));
    expect(new Set(states.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });
});
