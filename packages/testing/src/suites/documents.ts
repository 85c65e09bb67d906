import type { DocumentFile, DocumentRecord, DocumentStore, PutDocument, Storage } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { sampleAccount } from "./account-samples.ts";
import { assertSameBytes, concurrently, countOf, defineSuite, overwrite, UNUSUAL_STRINGS } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

const STORED_AT = 1_767_225_600_000;
const EXPIRES_AT = STORED_AT + 86_400_000;
const UNLIMITED = { documents: 1_000_000, bytes: 1_000_000_000 };
const OWNER = { accountId: "acct_1" };

/** Returns the id of the document with this number. */
function idOf(index: number): string {
  return createHash("sha256").update(`${index}`).digest("hex");
}

const ID = idOf(0);
const KEY = { ...OWNER, id: ID, now: STORED_AT };

function page(text = "<p>Hello</p>"): DocumentFile {
  return { path: "index.html", contentType: "text/html; charset=utf-8", bytes: Buffer.from(text) };
}

/** Returns a request to store a document of `acct_1` with one small page, far below the quota. */
function sample(
  change: Partial<DocumentRecord> = {},
  { files = [page()], quota = UNLIMITED }: Partial<Pick<PutDocument, "files" | "quota">> = {},
): PutDocument {
  const document = {
    ...OWNER,
    id: ID,
    contentType: "text/html",
    bytes: files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
    files: files.length,
    storedAt: STORED_AT,
    expiresAt: EXPIRES_AT,
    ...change,
  };
  return { document, files, quota };
}

/** Tests `DocumentStore`: identical bytes, exact expiry, isolated accounts, quotas under concurrency, and deletions. */
export function testDocumentStore(runner: SuiteRunner, open: OpenStorage<"documents">): void {
  defineSuite({ runner, open, name: "DocumentStore: contents" }, testContents);
  defineSuite({ runner, open, name: "DocumentStore: keys and expiry" }, testKeysAndExpiry);
  defineSuite({ runner, open, name: "DocumentStore: quotas" }, testQuotas);
  defineSuite({ runner, open, name: "DocumentStore: deletions" }, testDeletions);
}

function testContents(test: DefineTest<"documents">): void {
  test("returns every field, and identical bytes", async ({ documents }) => {
    const large = new Uint8Array(randomBytes(1_500_000));
    const files: readonly DocumentFile[] = [
      { path: "a/logo.png", contentType: "image/png", bytes: large.subarray(1000, 900_000) },
      { path: "empty.css", contentType: "text/css; charset=utf-8", bytes: new Uint8Array(0) },
      page("é\0\u{1f511}"),
      { path: "large", contentType: "application/octet-stream", bytes: large },
    ];
    const request = sample({ contentType: "application/zip" }, { files });
    assert.deepEqual(await documents.put(request), { stored: true, document: request.document });
    assert.deepEqual(await documents.find(KEY), request.document);
    for (const { path, contentType, bytes } of files) {
      const found = await documents.readFile({ ...KEY, path });
      assert.ok(found !== null, `${path} does not exist`);
      assertSameBytes(found.bytes, bytes);
      assert.deepEqual({ ...found, bytes }, { path, contentType, bytes });
    }
    for (const path of ["", "a", "A/logo.png", "index.html/", "missing", "\0"])
      assert.equal(await documents.readFile({ ...KEY, path }), null, JSON.stringify(path));
  });

  test("stores a document whose files are all empty", async ({ documents }) => {
    const request = sample({}, { files: [page("")] });
    await documents.put(request);
    assert.deepEqual(await documents.find(KEY), request.document);
    const found = await documents.readFile({ ...KEY, path: "index.html" });
    assert.equal(found?.bytes.byteLength, 0);
  });

  test("stores files with unusual names", async ({ documents }) => {
    const files = UNUSUAL_STRINGS.map((path) => ({ ...page(path), path }));
    await documents.put(sample({}, { files }));
    for (const path of UNUSUAL_STRINGS)
      assert.equal(Buffer.from((await documents.readFile({ ...KEY, path }))?.bytes ?? []).toString(), path);
  });

  test("returns records that are isolated from the stored ones", async ({ documents }) => {
    // the second call finds the document and extends it
    for (let put = 1; put <= 2; put += 1) overwrite(await documents.put(sample()));
    overwrite(await documents.find(KEY));
    assert.deepEqual(await documents.find(KEY), sample().document);
  });

  test("isolates stored files from its arguments and results", async ({ documents }) => {
    const bytes = new Uint8Array(1000).fill(7);
    await documents.put(sample({}, { files: [{ ...page(), bytes }] }));
    bytes.fill(0);
    const path = "index.html";
    (await documents.readFile({ ...KEY, path }))?.bytes.fill(0);
    const found = await documents.readFile({ ...KEY, path });
    assertSameBytes(found?.bytes ?? new Uint8Array(0), new Uint8Array(1000).fill(7));
  });
}

function testKeysAndExpiry(test: DefineTest<"documents">): void {
  test("expires a document at the exact millisecond", async ({ documents }) => {
    const { document } = sample();
    await documents.put(sample());
    const path = "index.html";
    for (const [now, exists] of [
      [EXPIRES_AT - 1, true],
      [EXPIRES_AT, false],
      // a read does not delete: an earlier instant still finds it
      [EXPIRES_AT - 1, true],
    ] as const) {
      assert.deepEqual(await documents.find({ ...KEY, now }), exists ? document : null);
      assert.equal((await documents.readFile({ ...KEY, path, now })) !== null, exists);
    }
    assert.equal(await documents.delete({ ...KEY, now: EXPIRES_AT }), false);
    assert.equal(await documents.delete({ ...KEY, now: EXPIRES_AT - 1 }), true);
  });

  test("extends only the expiry when a document is stored again, and never shortens it", async ({
    documents,
  }) => {
    const first = sample().document;
    await documents.put(sample());
    for (const [expiresAt, expected] of [
      [EXPIRES_AT - 1, EXPIRES_AT],
      [EXPIRES_AT + 5, EXPIRES_AT + 5],
      [EXPIRES_AT, EXPIRES_AT + 5],
    ] as const) {
      const again = sample({ contentType: "application/zip", storedAt: STORED_AT + 1, expiresAt });
      const document = { ...first, expiresAt: expected };
      assert.deepEqual(await documents.put(again), { stored: true, document });
      assert.deepEqual(await documents.find(KEY), document);
    }
  });

  test("replaces an expired document that has not been pruned", async ({ documents }) => {
    await documents.put(sample({ expiresAt: STORED_AT + 1 }));
    const again = sample(
      { contentType: "text/markdown", storedAt: STORED_AT + 1 },
      { files: [page("new"), { ...page("b"), path: "b.html" }] },
    );
    assert.deepEqual(await documents.put(again), { stored: true, document: again.document });
    assert.deepEqual(await documents.find({ ...KEY, now: STORED_AT + 1 }), again.document);
    const found = await documents.readFile({ ...KEY, now: STORED_AT + 1, path: "index.html" });
    assert.equal(Buffer.from(found?.bytes ?? []).toString(), "new");
    assert.equal(await documents.prune({ now: STORED_AT + 1, limit: 10 }), 0);
  });

  test("isolates accounts with unusual ids", async ({ documents }) => {
    for (const accountId of UNUSUAL_STRINGS)
      await documents.put(sample({ accountId }, { files: [page(accountId)] }));
    for (const accountId of UNUSUAL_STRINGS) {
      const key = { ...KEY, accountId };
      assert.equal((await documents.find(key))?.accountId, accountId);
      const found = await documents.readFile({ ...key, path: "index.html" });
      assert.equal(Buffer.from(found?.bytes ?? []).toString(), accountId);
    }
    assert.equal(await documents.find(KEY), null);
    assert.equal(await documents.readFile({ ...KEY, path: "index.html" }), null);
    assert.equal(await documents.delete(KEY), false);
    for (const id of ["", ID.toUpperCase(), `${ID} `, "\0"])
      assert.equal(await documents.find({ ...KEY, accountId: "a", id }), null);
  });

  test("finds and deletes nothing for an unknown account or id", async ({ documents }) => {
    await documents.put(sample());
    for (const change of [{ accountId: "acct_2" }, { accountId: "a\0b" }, { id: idOf(1) }, { id: "a\0b" }]) {
      const key = { ...KEY, ...change };
      assert.equal(await documents.find(key), null);
      assert.equal(await documents.readFile({ ...key, path: "index.html" }), null);
      assert.equal(await documents.delete(key), false);
    }
    for (const accountId of ["acct_2", "a\0b"])
      assert.equal(await documents.deleteAccount({ accountId, now: STORED_AT }), 0);
    assert.deepEqual(await documents.find(KEY), sample().document);
  });
}

function testQuotas(test: DefineTest<"documents">): void {
  const put = (documents: DocumentStore, index: number, quota: PutDocument["quota"]): Promise<string> =>
    documents
      .put(sample({ id: idOf(index) }, { files: [page("0123456789")], quota }))
      .then((outcome) => (outcome.stored ? "stored" : outcome.exceeded));

  test("limits the number of documents, per account", async ({ documents }) => {
    await documents.put(sample({ accountId: "acct_2" }));
    const quota = { documents: 2, bytes: 1000 };
    const outcomes = [await put(documents, 1, quota), await put(documents, 2, quota)];
    assert.deepEqual([...outcomes, await put(documents, 3, quota)], ["stored", "stored", "documents"]);
  });

  test("accepts documents that fit exactly, and rejects the next byte", async ({ documents }) => {
    assert.equal(await put(documents, 1, { documents: 10, bytes: 9 }), "bytes");
    assert.equal(await put(documents, 1, { documents: 10, bytes: 10 }), "stored");
    assert.equal(await put(documents, 2, { documents: 10, bytes: 19 }), "bytes");
    assert.equal(await put(documents, 2, { documents: 10, bytes: 20 }), "stored");
    assert.equal(await put(documents, 3, { documents: 2, bytes: 29 }), "documents");
    const rejected = sample({ id: idOf(3) }, { quota: { documents: 2, bytes: 1 } });
    const used = { documents: 2, bytes: 20 };
    assert.deepEqual(await documents.put(rejected), { stored: false, exceeded: "documents", used });
    for (const index of [3, 4]) assert.equal(await documents.find({ ...KEY, id: idOf(index) }), null);
    // nothing is added
    assert.equal(await put(documents, 1, { documents: 0, bytes: 0 }), "stored");
  });

  test("does not count expired or deleted documents", async ({ documents }) => {
    const quota = { documents: 1, bytes: 100 };
    await documents.put(sample({ id: idOf(1), expiresAt: STORED_AT }));
    assert.equal(await put(documents, 2, quota), "stored");
    assert.equal(await put(documents, 3, quota), "documents");
    await documents.delete({ ...KEY, id: idOf(2) });
    assert.equal(await put(documents, 3, quota), "stored");
  });

  test("never exceeds a quota with concurrent uploads", async ({ documents }) => {
    const quota = { documents: 1000, bytes: 75 };
    const outcomes = await concurrently((index) => put(documents, index, quota));
    assert.equal(countOf(outcomes, "stored"), 7, "documents of 10 bytes in a quota of 75");
    assert.equal(countOf(outcomes, "bytes"), 93, "rejected uploads");
  });

  test("counts concurrent uploads of the same document once", async ({ documents }) => {
    const outcomes = await concurrently(() => put(documents, 1, { documents: 1, bytes: 10 }));
    assert.equal(countOf(outcomes, "stored"), 100, "uploads of the same document that succeeded");
    assert.equal(await documents.deleteAccount({ ...OWNER, now: STORED_AT }), 1);
  });
}

function testDeletions(test: DefineTest<"documents">): void {
  test("deletes a document with its files, once", async ({ documents }) => {
    await documents.put(sample());
    await documents.put(sample({ accountId: "acct_2" }));
    const outcomes = await concurrently(() => documents.delete(KEY));
    assert.equal(countOf(outcomes, true), 1, "calls that deleted the document");
    assert.equal(await documents.find(KEY), null);
    assert.equal(await documents.readFile({ ...KEY, path: "index.html" }), null);
    assert.notEqual(await documents.find({ ...KEY, accountId: "acct_2" }), null);
    await documents.put(sample());
    assert.notEqual(await documents.find(KEY), null);
  });

  test("prunes expired documents up to the limit", async ({ documents }) => {
    for (let index = 0; index < 20; index += 1)
      await documents.put(sample({ id: idOf(index), expiresAt: STORED_AT + index }));
    const now = STORED_AT + 9;
    assert.equal(await documents.prune({ now, limit: 0 }), 0);
    assert.equal(await documents.prune({ now, limit: 6 }), 6);
    assert.equal(await documents.prune({ now, limit: 6 }), 4);
    assert.equal(await documents.prune({ now, limit: 6 }), 0);
    for (let index = 0; index < 20; index += 1) {
      const found = await documents.find({ ...KEY, id: idOf(index), now: STORED_AT - 1 });
      assert.equal(found !== null, index > 9, `document ${index}`);
    }
  });

  test("deletes all of an account's documents", async ({ documents }) => {
    for (let index = 0; index < 12; index += 1) await documents.put(sample({ id: idOf(index) }));
    for (const accountId of ["acct_10", ...UNUSUAL_STRINGS]) await documents.put(sample({ accountId }));
    const deletion = { ...OWNER, now: STORED_AT };
    assert.equal(await documents.deleteAccount(deletion), 12);
    assert.equal(await documents.deleteAccount(deletion), 0);
    assert.equal(await documents.find(KEY), null);
    for (const accountId of ["acct_10", ...UNUSUAL_STRINGS])
      assert.notEqual(await documents.find({ ...KEY, accountId }), null);
  });
}

/** Tests that uploads in flight leave nothing for an account that is being deleted. */
export function testDocumentsOfDeletedAccounts(test: DefineTest<keyof Storage>): void {
  test("stores no document for an account whose deletion has started", async ({ accounts, documents }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    await accounts.startDeletion({ id: "acct_1", now: STORED_AT });
    await documents.put(sample());
    assert.equal(await documents.find(KEY), null);
    await accounts.delete({ id: "acct_1", now: STORED_AT });
    await documents.put(sample());
    assert.equal(await documents.find(KEY), null);
    await documents.put(sample({ accountId: "acct_2" }));
    assert.notEqual(await documents.find({ ...KEY, accountId: "acct_2" }), null);
  });

  test("leaves no document that is uploaded during the deletion", async ({ accounts, documents }) => {
    await accounts.insert(sampleAccount());
    await concurrently(async (index) => {
      if (index !== 50) return documents.put(sample({ id: idOf(index) }));
      await accounts.startDeletion({ id: "acct_1", now: STORED_AT });
      await documents.deleteAccount({ ...OWNER, now: STORED_AT });
    });
    assert.equal(await documents.deleteAccount({ ...OWNER, now: STORED_AT }), 0);
  });
}
