import type { RenderingKey, RenderingStore, StoredRendering } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { testQuota } from "./rendering-quota.ts";
import { EXPIRES_AT, sampleRendering, STORED_AT } from "./rendering-samples.ts";
import {
  concurrently,
  assertSameBytes,
  CONCURRENT_CALLS,
  UNUSUAL_STRINGS,
  defineSuite,
  overwrite,
} from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

const KEY = { accountId: "acct_1", key: "0f1e" };

function requestAt(now: number): typeof KEY & { readonly now: number } {
  return { ...KEY, now };
}

function assertSameRendering(actual: StoredRendering | null, expected: StoredRendering): void {
  assert.ok(actual !== null, "the rendering does not exist");
  assertSameBytes(actual.bytes, expected.bytes);
  assert.deepEqual({ ...actual, bytes: expected.bytes }, expected);
}

export interface RenderingSuiteOptions {
  /** Whether the store deletes expired renderings itself, so `prune` returns 0; `false` by default. */
  readonly prunesByItself?: boolean;
  /** Whether the store has no quota; `false` by default. If it has one, `open` must apply `cacheMaxBytes`. */
  readonly isUnlimited?: boolean;
}

/** Tests `RenderingStore`: identical bytes, expiry at the exact millisecond, isolated accounts, and the quota. */
export function testRenderingStore(
  runner: SuiteRunner,
  open: OpenStorage<"renderings">,
  { prunesByItself = false, isUnlimited = false }: RenderingSuiteOptions = {},
): void {
  defineSuite({ runner, open, name: "RenderingStore: contents" }, testContents);
  defineSuite({ runner, open, name: "RenderingStore: keys and expiry" }, testKeysAndExpiry);
  defineSuite(
    { runner, open, name: "RenderingStore: pruning" },
    prunesByItself ? testPruningByItself : testPruning,
  );
  defineSuite({ runner, open, name: "RenderingStore: purges" }, (test) =>
    testPurges(test, { hasStats: !isUnlimited }),
  );
  if (!isUnlimited) testQuota(runner, open);
}

function testContents(test: DefineTest<"renderings">): void {
  test("returns every field", async ({ renderings }) => {
    for (const rendering of [
      sampleRendering({ targetStatus: 404, notes: ["wait-capped", 'a "quoted", note', "é"] }),
      sampleRendering({ contentType: "image/jpeg" }),
      sampleRendering({ contentType: "image/webp" }),
      sampleRendering({ contentType: "image/avif" }),
      sampleRendering({ contentType: "application/pdf", targetStatus: null }),
      sampleRendering({ page: { title: 'A "title" – é', finalUrl: "https://example.com/a?b=c", pages: 3 } }),
      sampleRendering({ page: { title: null, finalUrl: null, pages: null } }),
    ]) {
      await renderings.put({ ...KEY, rendering });
      assertSameRendering(await renderings.get(requestAt(STORED_AT)), rendering);
    }
  });

  test("peeks at every field but the bytes", async ({ renderings }) => {
    for (const rendering of [
      sampleRendering({ targetStatus: 404, notes: ["wait-capped", "é"] }),
      sampleRendering({ contentType: "application/pdf", targetStatus: null }),
      sampleRendering({
        page: { title: "é".repeat(500), finalUrl: `https://example.com/${"a".repeat(2028)}`, pages: 1 },
      }),
    ]) {
      await renderings.put({ ...KEY, rendering });
      const { bytes: _, ...metadata } = rendering;
      assert.deepEqual(await renderings.peek(requestAt(STORED_AT)), metadata);
    }
    assert.equal(await renderings.peek({ ...requestAt(STORED_AT), accountId: "acct_2" }), null);
    assert.equal(await renderings.peek({ ...requestAt(STORED_AT), key: "0f1f" }), null);
  });

  test("returns identical bytes", async ({ renderings }) => {
    const mebibyte = new Uint8Array(randomBytes(1024 * 1024));
    const large = new Uint8Array(randomBytes(5_000_000));
    for (const bytes of [
      mebibyte,
      new Uint8Array(0),
      large,
      new Uint8Array(1),
      large.subarray(1000, 70_000),
    ]) {
      await renderings.put({ ...KEY, rendering: sampleRendering({ bytes }) });
      assertSameRendering(await renderings.get(requestAt(STORED_AT)), sampleRendering({ bytes }));
    }
  });

  test("isolates stored records from its arguments and results", async ({ renderings }) => {
    const sample = (): StoredRendering =>
      sampleRendering({
        bytes: new Uint8Array(1000).fill(7),
        notes: ["wait-capped"],
        page: { title: "A title", finalUrl: "https://example.com/", pages: 1 },
      });
    const rendering = sample();
    await renderings.put({ ...KEY, rendering });
    overwrite(rendering);
    overwrite(await renderings.get(requestAt(STORED_AT)));
    overwrite(await renderings.peek(requestAt(STORED_AT)));
    assertSameRendering(await renderings.get(requestAt(STORED_AT)), sample());
  });

  test("replaces an existing rendering, expired or not", async ({ renderings }) => {
    await renderings.put({ ...KEY, rendering: sampleRendering({ expiresAt: STORED_AT + 1 }) });
    const second = sampleRendering({ bytes: new Uint8Array([2]), storedAt: STORED_AT + 1 });
    await renderings.put({ ...KEY, rendering: second });
    assertSameRendering(await renderings.get(requestAt(STORED_AT + 1)), second);
    const third = sampleRendering({ bytes: new Uint8Array([3]), expiresAt: STORED_AT + 2 });
    await renderings.put({ ...KEY, rendering: third });
    assert.equal(await renderings.get(requestAt(STORED_AT + 2)), null);
  });

  test("stores one complete rendering after many concurrent calls", async ({ renderings }) => {
    const numberedRendering = (index: number): StoredRendering =>
      sampleRendering({ bytes: new Uint8Array(index + 1).fill(index), storedAt: STORED_AT - index });
    await concurrently((index) => renderings.put({ ...KEY, rendering: numberedRendering(index) }));
    const found = await renderings.get(requestAt(STORED_AT));
    assertSameRendering(found, numberedRendering(STORED_AT - (found?.storedAt ?? 0)));
  });
}

function testKeysAndExpiry(test: DefineTest<"renderings">): void {
  test("expires a rendering at the exact millisecond", async ({ renderings }) => {
    await renderings.put({ ...KEY, rendering: sampleRendering() });
    assertSameRendering(await renderings.get(requestAt(EXPIRES_AT - 1)), sampleRendering());
    assert.equal(await renderings.get(requestAt(EXPIRES_AT)), null);
    assert.equal((await renderings.peek(requestAt(EXPIRES_AT - 1)))?.expiresAt, EXPIRES_AT);
    assert.equal(await renderings.peek(requestAt(EXPIRES_AT)), null);
    // a read deletes nothing, so a request with an earlier `now` still finds it
    assertSameRendering(await renderings.get(requestAt(EXPIRES_AT - 1)), sampleRendering());
  });

  test("isolates accounts and keys with unusual names", async ({ renderings }) => {
    const names = UNUSUAL_STRINGS.flatMap((accountId) => UNUSUAL_STRINGS.map((key) => ({ accountId, key })));
    for (const [index, name] of names.entries())
      await renderings.put({ ...name, rendering: sampleRendering({ bytes: Uint8Array.of(index) }) });
    for (const [index, name] of names.entries()) {
      const found = await renderings.get({ ...name, now: STORED_AT });
      assert.equal(found?.bytes[0], index, JSON.stringify(name));
    }
    assert.equal(await renderings.get({ accountId: "acct_2", key: "a", now: STORED_AT }), null);
    assert.equal(await renderings.get({ accountId: "a", key: "b:a", now: STORED_AT }), null);
  });

  test("deletes only the rendering of the given account", async ({ renderings }) => {
    const other = { accountId: "acct_2", key: KEY.key };
    await renderings.put({ ...KEY, rendering: sampleRendering() });
    await renderings.put({ ...other, rendering: sampleRendering() });
    await renderings.delete(KEY);
    await renderings.delete(KEY);
    assert.equal(await renderings.get(requestAt(STORED_AT)), null);
    assertSameRendering(await renderings.get({ ...other, now: STORED_AT }), sampleRendering());
  });
}

/** Stores a hundred renderings, of which one expires each millisecond. */
function putExpiring(renderings: RenderingStore): Promise<unknown> {
  return concurrently((index) =>
    renderings.put({
      ...expiringKey(index),
      rendering: sampleRendering({ expiresAt: STORED_AT + index }),
    }),
  );
}

function expiringKey(index: number): RenderingKey {
  return { accountId: `acct_${index % 3}`, key: `${index}` };
}

function testPruning(test: DefineTest<"renderings">): void {
  test("prunes expired renderings up to the limit", async ({ renderings }) => {
    await putExpiring(renderings);
    const now = STORED_AT + 49;
    assert.equal(await renderings.prune({ now, limit: 0 }), 0);
    assert.equal(await renderings.prune({ now, limit: 30 }), 30);
    assert.equal(await renderings.prune({ now, limit: 30 }), 20);
    assert.equal(await renderings.prune({ now, limit: 30 }), 0);
    for (let index = 0; index < CONCURRENT_CALLS; index += 1) {
      const found = await renderings.get({ ...expiringKey(index), now: STORED_AT - 1 });
      assert.equal(found !== null, index > 49, `rendering ${index}`);
    }
  });
}

function testPruningByItself(test: DefineTest<"renderings">): void {
  test("finds nothing to prune, and preserves live renderings", async ({ renderings }) => {
    await putExpiring(renderings);
    const now = STORED_AT + 49;
    for (const limit of [0, 30]) assert.equal(await renderings.prune({ now, limit }), 0);
    for (let index = 0; index < CONCURRENT_CALLS; index += 1) {
      const found = await renderings.get({ ...expiringKey(index), now });
      assert.equal(found !== null, index > 49, `rendering ${index}`);
    }
  });
}

function testPurges(test: DefineTest<"renderings">, { hasStats }: { readonly hasStats: boolean }): void {
  const rendering = sampleRendering();
  const keysLeft = async (
    renderings: RenderingStore,
    accountId: string,
    count: number,
  ): Promise<string[]> => {
    const keys: string[] = [];
    for (let index = 0; index < count; index += 1)
      if ((await renderings.get({ accountId, key: `${index}`, now: STORED_AT })) !== null)
        keys.push(`${index}`);
    return keys;
  };
  const putMany = async (renderings: RenderingStore, accountId: string, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      await renderings.put({ accountId, key: `${index}`, rendering });
  };

  test("deletes all of an account's renderings, and stores new ones afterwards", async ({ renderings }) => {
    const others = ["acct_10", "acct_", ...UNUSUAL_STRINGS];
    await putMany(renderings, "acct_1", 12);
    for (const accountId of others) await putMany(renderings, accountId, 1);
    assert.equal(await renderings.purge({ accountId: "acct_1" }), 12);
    assert.equal(await renderings.purge({ accountId: "acct_1" }), 0);
    assert.deepEqual(await keysLeft(renderings, "acct_1", 12), []);
    for (const accountId of others) assert.deepEqual(await keysLeft(renderings, accountId, 1), ["0"]);
    await putMany(renderings, "acct_1", 1);
    assert.deepEqual(await keysLeft(renderings, "acct_1", 1), ["0"]);
  });

  test("deletes only the renderings of the account whose id is empty", async ({ renderings }) => {
    for (const accountId of ["", "acct_1"]) await putMany(renderings, accountId, 2);
    assert.equal(await renderings.purge({ accountId: "" }), 2);
    assert.deepEqual(await keysLeft(renderings, "", 2), []);
    assert.deepEqual(await keysLeft(renderings, "acct_1", 2), ["0", "1"]);
  });

  test("deletes all renderings", async ({ renderings }) => {
    for (const accountId of ["acct_1", "acct_2"]) await putMany(renderings, accountId, 7);
    assert.equal(await renderings.purge({ accountId: null }), 14);
    for (const accountId of ["acct_1", "acct_2"])
      assert.deepEqual(await keysLeft(renderings, accountId, 7), []);
    if (hasStats) assert.equal((await renderings.stats())?.bytes, 0);
  });

  test("stores nothing for an account that is being deleted", async ({ renderings }) => {
    await putMany(renderings, "acct_1", 3);
    await putMany(renderings, "acct_2", 3);
    assert.equal(await renderings.deleteAccount({ accountId: "acct_1", now: STORED_AT }), 3);
    await putMany(renderings, "acct_1", 3);
    assert.deepEqual(await keysLeft(renderings, "acct_1", 3), []);
    assert.equal(await renderings.deleteAccount({ accountId: "acct_1", now: STORED_AT }), 0);
    await putMany(renderings, "acct_2", 4);
    assert.deepEqual(await keysLeft(renderings, "acct_2", 4), ["0", "1", "2", "3"]);
    await renderings.purge({ accountId: "acct_2" });
    if (hasStats) assert.equal((await renderings.stats())?.bytes, 0);
  });

  test("leaves no rendering that is stored during the deletion", async ({ renderings }) => {
    const deletion = renderings.deleteAccount({ accountId: "acct_1", now: STORED_AT });
    await concurrently((index) => renderings.put({ accountId: "acct_1", key: `${index}`, rendering }));
    await deletion;
    assert.equal(await renderings.purge({ accountId: "acct_1" }), 0);
    assert.deepEqual(await keysLeft(renderings, "acct_1", CONCURRENT_CALLS), []);
  });
}
