import type { RenderingKey, RenderingStore } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { EXPIRES_AT, sampleRendering, STORED_AT } from "./rendering-samples.ts";
import { concurrently, defineSuite, type DefineTest, type OpenStorage, type SuiteRunner } from "./suite.ts";

/** A rendering of 5,904 bytes counts as 10,000. */
const COUNTED_BYTES = 10_000;
const SIZE_BYTES = 5904;
/** Ten renderings. */
const QUOTA_BYTES = 100_000;

/** Tests the quota of a `RenderingStore`: what counts against it, and from which account it evicts. */
export function testQuota(runner: SuiteRunner, open: OpenStorage<"renderings">): void {
  const settings = { cacheMaxBytes: QUOTA_BYTES };
  defineSuite({ runner, open, name: "RenderingStore: quota", settings }, testEviction);
  defineSuite({ runner, open, name: "RenderingStore: quota, stats", settings }, testStats);
}

interface Stored extends RenderingKey {
  /** Milliseconds after the first rendering. */
  readonly atMs: number;
  readonly sizeBytes?: number;
}

function put(renderings: RenderingStore, { atMs, sizeBytes = SIZE_BYTES, ...name }: Stored): Promise<void> {
  const bytes = new Uint8Array(sizeBytes).fill(atMs);
  return renderings.put({ ...name, rendering: sampleRendering({ bytes, storedAt: STORED_AT + atMs }) });
}

/** Stores renderings with the keys `0`, `1` and so on, one per millisecond. */
async function putMany(
  renderings: RenderingStore,
  { accountId, count, atMs = 0 }: { accountId: string; count: number; atMs?: number },
): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await put(renderings, { accountId, key: `${index}`, atMs: atMs + index });
}

/** Returns which of the keys `0` to `99` the account has. */
async function keysOf(renderings: RenderingStore, accountId: string): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    const request = { accountId, key: `${index}`, now: STORED_AT };
    const [found, metadata] = [await renderings.get(request), await renderings.peek(request)];
    assert.equal(found === null, metadata === null, `get and peek disagree on ${accountId} ${request.key}`);
    if (found !== null) keys.push(request.key);
  }
  return keys;
}

function testEviction(test: DefineTest<"renderings">): void {
  test("evicts the oldest renderings of a single account", async ({ renderings }) => {
    await putMany(renderings, { accountId: "acct_1", count: 12 });
    assert.deepEqual(await keysOf(renderings, "acct_1"), [
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "11",
    ]);
  });

  test("evicts from the account above its share, not from one below it", async ({ renderings }) => {
    await putMany(renderings, { accountId: "quiet", count: 4 });
    await putMany(renderings, { accountId: "greedy", count: 50, atMs: 10 });
    assert.deepEqual(await keysOf(renderings, "quiet"), ["0", "1", "2", "3"]);
    assert.deepEqual(await keysOf(renderings, "greedy"), ["44", "45", "46", "47", "48", "49"]);
  });

  test("makes space for a new account at the expense of the largest", async ({ renderings }) => {
    await putMany(renderings, { accountId: "small", count: 3 });
    await putMany(renderings, { accountId: "large", count: 7, atMs: 10 });
    await putMany(renderings, { accountId: "new", count: 3, atMs: 20 });
    assert.deepEqual(await keysOf(renderings, "small"), ["0", "1", "2"]);
    assert.deepEqual(await keysOf(renderings, "large"), ["3", "4", "5", "6"]);
    assert.deepEqual(await keysOf(renderings, "new"), ["0", "1", "2"]);
  });

  test("evicts as many renderings as a large one needs", async ({ renderings }) => {
    await putMany(renderings, { accountId: "acct_1", count: 10 });
    // counts as 45,000
    await put(renderings, { accountId: "acct_1", key: "50", atMs: 20, sizeBytes: 40_904 });
    assert.deepEqual(await keysOf(renderings, "acct_1"), ["5", "6", "7", "8", "9", "50"]);
  });

  test("does not store a rendering larger than the quota, and removes the one it replaces", async ({
    renderings,
  }) => {
    await putMany(renderings, { accountId: "acct_1", count: 3 });
    await putMany(renderings, { accountId: "acct_2", count: 3, atMs: 10 });
    await put(renderings, { accountId: "acct_1", key: "1", atMs: 20, sizeBytes: QUOTA_BYTES });
    assert.deepEqual(await keysOf(renderings, "acct_1"), ["0", "2"]);
    assert.deepEqual(await keysOf(renderings, "acct_2"), ["0", "1", "2"]);
  });

  test("does not store a rendering that would fit only at the expense of smaller accounts", async ({
    renderings,
  }) => {
    await putMany(renderings, { accountId: "quiet", count: 5 });
    // counts as 60,000, so its account would be the largest
    await put(renderings, { accountId: "greedy", key: "0", atMs: 10, sizeBytes: 55_904 });
    assert.deepEqual(await keysOf(renderings, "greedy"), []);
    assert.deepEqual(await keysOf(renderings, "quiet"), ["0", "1", "2", "3", "4"]);
  });

  test("does not exceed the quota under concurrent calls", async ({ renderings }) => {
    await putMany(renderings, { accountId: "quiet", count: 2 });
    await concurrently((index) =>
      put(renderings, { accountId: "greedy", key: `${index}`, atMs: 10 + index }),
    );
    assert.deepEqual(await keysOf(renderings, "quiet"), ["0", "1"]);
    const stats = await renderings.stats();
    assert.equal(stats?.bytes, (2 + (await keysOf(renderings, "greedy")).length) * COUNTED_BYTES);
    assert.ok(stats.bytes <= QUOTA_BYTES, `${stats.bytes} bytes exceed the quota`);
  });
}

function testStats(test: DefineTest<"renderings">): void {
  test("counts each rendering once, as its bytes plus 4,096", async ({ renderings }) => {
    const cachedBytes = async (): Promise<number | undefined> => (await renderings.stats())?.bytes;
    assert.equal((await renderings.stats())?.maxBytes, QUOTA_BYTES);
    assert.equal(await cachedBytes(), 0);
    await putMany(renderings, { accountId: "acct_1", count: 2 });
    assert.equal(await cachedBytes(), 20_000);
    await put(renderings, { accountId: "acct_1", key: "1", atMs: 5, sizeBytes: 0 });
    assert.equal(await cachedBytes(), 14_096);
    await renderings.delete({ accountId: "acct_1", key: "0" });
    await renderings.delete({ accountId: "acct_1", key: "0" });
    assert.equal(await cachedBytes(), 4096);
    await renderings.prune({ now: EXPIRES_AT, limit: 10 });
    assert.equal(await cachedBytes(), 0);
  });

  test("stays within the quota while a rendering is replaced", async ({ renderings }) => {
    await putMany(renderings, { accountId: "acct_1", count: 10 });
    for (let time = 0; time < 5; time += 1)
      await put(renderings, { accountId: "acct_1", key: "9", atMs: 20 });
    assert.deepEqual(await keysOf(renderings, "acct_1"), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    assert.equal((await renderings.stats())?.bytes, QUOTA_BYTES);
  });
}
