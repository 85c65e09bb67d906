import { describe, expect, it } from "vitest";
import { SnapError } from "../../src/errors.ts";
import type { HistoryEntry } from "../../src/ports/history.ts";
import { isComplete, openBatchBench, type BatchBench, type Customer } from "../batches/open-engine.ts";

const DAY_MS = 86_400_000;

function open(): BatchBench {
  return openBatchBench({ historyRetentionMs: 7 * DAY_MS });
}

/** Submits a batch, waits until it is finished, and returns the history. */
async function finish(
  bench: BatchBench,
  principal: Customer,
  items: readonly object[],
): Promise<{ readonly batchId: string; readonly entries: readonly HistoryEntry[] }> {
  bench.engine.startWorker();
  const { id: batchId } = await bench.engine.batches.submit({ principal, document: { items } });
  await bench.until({ principal, batchId }, isComplete);
  await bench.advance(2000);
  return { batchId, entries: (await bench.engine.history.page({ limit: 100 })).entries };
}

describe("the history of batch items", () => {
  it("records each item once, with its result", async () => {
    const bench = open();
    const principal = await bench.customer();
    const cached = { url: "https://example.com/cached" };
    await bench.engine.capture({ principal, parameters: cached });
    bench.renderer.failNext(new SnapError("render_failed", "It failed.", { notes: ["blank"] }));
    const { batchId, entries } = await finish(bench, principal, [
      { url: "https://example.com/failing", pdf: true, headers: { "X-Preview": "hidden" } },
      { url: "https://example.com/rendered", fullPage: true, cacheTtl: 3600 },
      cached,
    ]);
    const { items } = await bench.engine.batches.get({ principal, batchId });
    const common = { batchId, accountId: principal.account.id, tokenId: 1, entryPoint: "batch" };
    const entryOf = (index: number): HistoryEntry | undefined =>
      entries.find(({ requestId }) => requestId === items[index]?.id);
    expect(entryOf(0)).toMatchObject({
      ...common,
      mode: "pdf",
      host: "example.com",
      parameters: { url: "https://example.com/failing", pdf: true, headers: "[secret]" },
      code: "render_failed",
      message: "It failed.",
      cache: null,
      creditCost: 0,
      bytes: null,
      notes: ["blank"],
    });
    expect(entryOf(1)).toMatchObject({
      ...common,
      mode: "screenshot",
      parameters: { url: "https://example.com/rendered", fullPage: true, cacheTtl: 3600 },
      code: null,
      cache: "miss",
      creditCost: 1,
      etag: items[1]?.etag,
      targetStatus: 200,
      expiresAt: Date.parse(items[1]?.expires_at ?? ""),
    });
    const rendered = bench.renderer.calls.length;
    expect(entryOf(2)).toMatchObject({ ...common, parameters: cached, cache: "hit", creditCost: 0 });
    expect(entries).toHaveLength(4);
    expect(rendered).toBe(3);
    expect(JSON.stringify(entries)).not.toContain("hidden");
    const entry = entryOf(1);
    if (entry === undefined) throw new Error("the item has no entry");
    expect((await bench.engine.history.rendering(entry))?.bytes).toHaveLength(entry.bytes ?? -1);
  });

  it("records the attempt that finished an item, but none that hit a limit", async () => {
    const bench = open();
    const principal = await bench.customer({ requestsPerMinute: 1 });
    const paths = ["a", "b"].map((path) => ({ url: `https://example.com/${path}` }));
    const { entries } = await finish(bench, principal, paths);
    expect(entries.map(({ code, cache }) => [code, cache])).toEqual([
      [null, "miss"],
      [null, "miss"],
    ]);
    // a duration excludes the minute that the second item waited
    for (const { durationMs } of entries) expect(durationMs).toBeLessThan(1000);
  });

  it("records an item that failed because its workers were lost", async () => {
    const bench = open();
    const principal = await bench.customer();
    const { id: batchId } = await bench.submit(principal, ["a"]);
    const lost = { status: "rendering", starts: 3, fence: 3, limitedSince: null, leaseEndsAt: 0 } as const;
    await bench.storage.batches.change({
      batchId,
      now: bench.clock.now(),
      change: (batch) => ({ ...batch, items: batch.items.map((item) => ({ ...item, state: lost })) }),
    });
    bench.engine.startWorker();
    await bench.until({ principal, batchId }, isComplete);
    await bench.advance(2000);
    const { entries } = await bench.engine.history.page({ limit: 9 });
    expect(entries).toMatchObject([{ batchId, code: "render_failed", entryPoint: "batch", durationMs: 0 }]);
  });
});
