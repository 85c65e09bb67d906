import { expect, it } from "vitest";
import { openBatchBench } from "./open-engine.ts";

it("ignores properties of a submission and its items that are undefined, as a capture does", async () => {
  const bench = openBatchBench();
  const principal = await bench.customer();
  const item = { url: "https://example.com/", format: undefined, padding: undefined, unknown: undefined };
  const document = { items: [item], webhookUrl: undefined, unknown: undefined };
  const { id: batchId } = await bench.engine.batches.submit({ principal, document });
  const stored = await bench.storage.batches.find(batchId);
  expect(stored?.items[0]?.parameters).toEqual({ url: "https://example.com/" });
  await expect(bench.engine.capture({ principal, parameters: item })).resolves.toMatchObject({
    cache: "miss",
  });
});
