import { expect, it } from "vitest";
import { isComplete, openBatchBench } from "./open-engine.ts";

const SECRETS = {
  headers: { "x-preview": "s3cr3t-header" },
  cookies: [{ name: "session", value: "s3cr3t-cookie" }],
  basicAuth: "ada:s3cr3t-password",
};
const document = { items: [{ url: "https://example.com/", ...SECRETS }] };

it("stores an item's secrets encrypted, and renders with them", async () => {
  const bench = openBatchBench();
  const principal = await bench.customer();
  const { id: batchId } = await bench.engine.batches.submit({ principal, document });
  const stored = await bench.storage.batches.find(batchId);
  expect(JSON.stringify(stored)).not.toContain("s3cr3t");
  expect(stored?.items[0]?.parameters).toEqual({
    url: "https://example.com/",
    headers: expect.stringMatching(/^[0-9a-f]{56,}$/),
    cookies: expect.stringMatching(/^[0-9a-f]{56,}$/),
    basicAuth: expect.stringMatching(/^[0-9a-f]{56,}$/),
  });

  bench.engine.startWorker();
  const { items } = await bench.until({ principal, batchId }, isComplete);
  expect(bench.renderer.calls).toMatchObject([SECRETS]);
  expect(items).toMatchObject([{ status: "done", credit_cost: 1, signed_url: null }]);
  expect((await bench.storage.batches.find(batchId))?.items[0]?.parameters).toEqual({
    url: "https://example.com/",
    headers: null,
    cookies: null,
    basicAuth: null,
  });
  const repeat = await bench.engine.capture({ principal, parameters: document.items[0] ?? {} });
  expect(repeat).toMatchObject({ cache: "hit", creditCost: 0 });
});

it("returns links only for items without secrets", async () => {
  const bench = openBatchBench();
  const principal = await bench.customer();
  const items = [...document.items, { url: "https://example.com/public" }];
  const { id: batchId } = await bench.engine.batches.submit({ principal, document: { items } });
  bench.engine.startWorker();
  const complete = await bench.until({ principal, batchId }, isComplete);
  expect(complete.items.map(({ signed_url: url }) => url !== null)).toEqual([false, true]);
});

it("also compares secrets to find duplicate captures", async () => {
  const bench = openBatchBench();
  const principal = await bench.customer();
  const item = document.items[0];
  const same = { items: [item, { ...item, headers: { "X-Preview": "s3cr3t-header" } }] };
  await expect(bench.engine.batches.submit({ principal, document: same })).rejects.toMatchObject({
    errors: { "items.1": ["is the same capture as items.0"] },
  });
  const other = { items: [item, { ...item, basicAuth: "ada:another" }] };
  await expect(bench.engine.batches.submit({ principal, document: other })).resolves.toBeDefined();
});

it("fails an item whose secrets were encrypted with a lost secret key, and charges nothing", async () => {
  const bench = openBatchBench();
  const principal = await bench.customer();
  const { id: batchId } = await bench.engine.batches.submit({ principal, document });
  const replaced = bench.open({ secretKey: "the key after the loss" });
  await replaced.tokens.replaceLostSecrets();
  replaced.startWorker();
  const { items } = await bench.until({ principal, batchId }, isComplete);
  const message =
    "The service can no longer read headers, because its secret key was replaced; submit the item again.";
  expect(items).toMatchObject([
    { status: "failed", error: { code: "render_failed", message }, credit_cost: 0 },
  ]);
  expect(bench.renderer.calls).toEqual([]);
  const stored = await bench.storage.batches.find(batchId);
  expect(stored?.items[0]?.parameters).toMatchObject({ headers: null, cookies: null, basicAuth: null });
});

it("returns no links for a token whose signing secret was encrypted with a lost secret key", async () => {
  const bench = openBatchBench();
  const principal = await bench.customer();
  const submission = {
    principal,
    document: { items: [{ url: "https://example.com/" }] },
    idempotencyKey: "one",
  };
  const { id: batchId } = await bench.engine.batches.submit(submission);
  bench.engine.startWorker();
  const { items } = await bench.until({ principal, batchId }, isComplete);
  expect(items).toMatchObject([{ signed_url: expect.stringContaining("signature=") }]);
  const { batches } = bench.open({ secretKey: "the key after the loss" });
  for (const batch of [await batches.get({ principal, batchId }), await batches.submit(submission)])
    expect(batch).toMatchObject({ id: batchId, items: [{ status: "done", signed_url: null }] });
});
