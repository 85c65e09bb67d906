import { createFakeClock, createFakeRandom, createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import { createItemLinks } from "../../src/batches/item-links.ts";
import type { BatchRecord } from "../../src/ports/batches.ts";
import type { StoredRendering } from "../../src/ports/renderings.ts";
import type { TokenRecord } from "../../src/ports/tokens.ts";
import { createSeal } from "../../src/tokens/seal.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const seal = createSeal("a key for these tests", createFakeRandom(1));

const token: TokenRecord = {
  id: 7,
  accountId: "acct_1",
  name: null,
  abilities: ["screenshot"],
  secretHash: "",
  sealedSigningSecret: seal.seal("first secret"),
  createdAt: NOW,
  expiresAt: null,
  rotatedAt: null,
  previous: null,
  lastUsedAt: null,
};

function batchOf(count: number): BatchRecord {
  const items = Array.from({ length: count }, (_, index) => ({
    id: `item_${index}`,
    parameters: { url: `https://example.com/${index}` },
    key: `key ${index}`,
    state: {
      status: "done",
      etag: '"1"',
      targetStatus: 200,
      expiresAt: NOW + 3_600_000,
      creditCost: 1,
    } as const,
  }));
  const ended = { createdAt: NOW, finishedAt: NOW, prunesAt: NOW + 86_400_000, delivery: null };
  return { id: "batch_1", accountId: "acct_1", tokenId: 7, webhookUrl: null, ...ended, items };
}

/** Creates links to the batch's cached renderings, and counts decryptions of the secret. */
async function open(batch: BatchRecord): Promise<{
  readonly links: (signer?: TokenRecord) => Promise<(string | null)[]>;
  readonly decryptions: () => number;
  readonly put: (index: number, change: Partial<StoredRendering>) => Promise<void>;
}> {
  const { renderings } = createMemoryStorage();
  const put = (index: number, change: Partial<StoredRendering> = {}): Promise<void> =>
    renderings.put({
      accountId: "acct_1",
      key: `key ${index}`,
      rendering: {
        bytes: new Uint8Array([1]),
        contentType: "image/png",
        targetStatus: 200,
        notes: [],
        etag: '"1"',
        storedAt: NOW,
        expiresAt: NOW + 3_600_000,
        ...change,
      },
    });
  await Promise.all(batch.items.map((_, index) => put(index)));
  let decryptions = 0;
  const linkItems = createItemLinks({
    baseUrl: "https://snap.example.com/v1",
    renderings,
    seal: { ...seal, open: (sealed) => ((decryptions += 1), seal.open(sealed)) },
    clock: createFakeClock(NOW),
  });
  return {
    links: async (signer = token) => batch.items.map(await linkItems({ batch, token: signer })),
    decryptions: () => decryptions,
    put,
  };
}

it("signs each URL once, however often the batch is polled", async () => {
  const { links, decryptions } = await open(batchOf(20));
  const first = await links();
  expect(new Set(first).size).toBe(20);
  // once to check that the secret can be decrypted
  expect(decryptions()).toBe(1 + 20);
  for (let poll = 0; poll < 10; poll += 1) expect(await links()).toEqual(first);
  expect(decryptions()).toBe(1 + 20 + 10);
});

it("signs again with a rotated secret, another token or another expiry", async () => {
  const { links, decryptions, put } = await open(batchOf(1));
  const [first] = await links();
  const rotated = { ...token, sealedSigningSecret: seal.seal("second secret") };
  const [second] = await links(rotated);
  const [third] = await links({ ...token, id: 8 });
  await put(0, { expiresAt: NOW + 60_000 });
  const [fourth] = await links();
  expect(new Set([first, second, third, fourth]).size).toBe(4);
  expect(decryptions()).toBe(4 + 4);
  expect(fourth).toContain(`expires=${NOW / 1000 + 60}`);
  expect(second?.replace(/signature=.*/, "")).toBe(first?.replace(/signature=.*/, ""));
});

it.each([
  ["percent-encoded", { pdf: true, headerHtml: "<b>".repeat(6_666), footerHtml: "<b>".repeat(6_666) }],
  // a signed URL contains "%20" for a space, which is longer than "+"
  ["of spaces", { css: " ".repeat(20_000), script: `1;${" ".repeat(3_000)}` }],
])("does not link a request that is too long for a URL: %s", async (_, parameters) => {
  const batch = batchOf(1);
  const items = batch.items.map((item) => ({
    ...item,
    parameters: { ...item.parameters, ...parameters },
  }));
  const { links, decryptions } = await open({ ...batch, items });
  expect(await links({ ...token, abilities: ["screenshot", "pdf"] })).toEqual([null]);
  expect(decryptions()).toBe(1);
});

it("does not link a rendering that has expired or has been replaced", async () => {
  const { links, put } = await open(batchOf(2));
  await links();
  await put(0, { etag: '"2"' });
  await put(1, { expiresAt: NOW });
  expect(await links()).toEqual([null, null]);
});

it.each([
  ["a URL", 100],
  ["no URL, because it would be too long", 70_000],
])("encodes the parameters of an item once, because polls are free: %s", async (_name, characters) => {
  let reads = 0;
  const [item] = batchOf(1).items;
  const parameters = {
    url: "https://example.com/0",
    get css() {
      reads += 1;
      return "x".repeat(characters);
    },
  };
  const { links } = await open({ ...batchOf(1), items: [{ ...item!, parameters }] });
  const first = await links();
  const readsOfFirst = reads;
  expect(readsOfFirst).toBeGreaterThan(0);
  expect(await links()).toEqual(first);
  expect(reads).toBe(readsOfFirst);
});
