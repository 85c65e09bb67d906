import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { finished } from "../../testing/src/suites/batch-samples.ts";
import { sampleBatch } from "./sample-batch.ts";
import { execute, openStorage, useServer } from "./server.ts";

const { newDatabase } = useServer();

it("reads only the deliveries on the page", { tags: ["postgres"] }, async () => {
  const url = await newDatabase();
  const storage = await openStorage({ url });
  onTestFinished(() => storage.close());
  for (const id of ["a", "b", "c", "d", "e"])
    await storage.batches.insert(finished(sampleBatch(id, { accountId: "acct_1" })));
  const query = vi.spyOn(pg.Client.prototype, "query");
  const { more } = await storage.batches.page({ accountId: "acct_1", limit: 2 });
  expect(more).toBe(3);
  const [statement] = query.mock.calls.at(-1) as unknown as [{ text: string; values: unknown[] }];
  query.mockRestore();
  const plan = await execute<{ "QUERY PLAN": string }>(
    url,
    `EXPLAIN (ANALYZE) ${statement.text}`,
    statement.values,
  );
  const loopCounts = plan.map(
    (line) => / on deliveries .*\(actual .* loops=(\d+)\)/.exec(line["QUERY PLAN"])?.[1],
  );
  expect(loopCounts.filter((loops) => loops !== undefined)).toEqual(["2"]);
});
