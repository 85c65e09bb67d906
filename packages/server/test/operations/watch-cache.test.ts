import { createEngine } from "@snap/engine";
import type { Eviction } from "@snap/engine/ports";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../src/operations/logger.ts";
import { createMetrics, type Metrics } from "../../src/operations/metrics/create-metrics.ts";
import { watchCache } from "../../src/operations/watch-cache.ts";

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(metrics: Metrics | false = false): {
  readonly lines: Record<string, unknown>[];
  readonly onEvicted: (eviction: Eviction) => void;
} {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger("info", {
    write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { lines, onEvicted: watchCache({ logger, metrics }) };
}

function eviction(change: Partial<Eviction> = {}): Eviction {
  return { reason: "quota", accountId: "acct_1", renderings: 1, bytes: 5000, ...change };
}

describe("evictions", () => {
  it("are logged immediately, and then at most once a minute for each reason, as totals", () => {
    const { lines, onEvicted } = watch();
    onEvicted(eviction());
    for (let index = 0; index < 100; index += 1) onEvicted(eviction({ accountId: `acct_${index % 2}` }));
    onEvicted(eviction({ reason: "space", renderings: 3 }));
    expect(lines).toMatchObject([
      {
        level: "info",
        msg: "renderings evicted: the cache is full",
        reason: "quota",
        renderings: 1,
        bytes: 5000,
        accounts: 1,
      },
      {
        level: "warn",
        msg: "renderings evicted: the disk or Redis's memory is nearly full",
        reason: "space",
        renderings: 3,
      },
    ]);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({ reason: "quota", renderings: 100, bytes: 500_000, accounts: 2 });
    vi.advanceTimersByTime(5 * MINUTE_MS);
    expect(lines).toHaveLength(3);
    onEvicted(eviction());
    expect(lines).toHaveLength(4);
  });

  it("are counted in the metrics, which also show the cache's size", async () => {
    const metrics = createMetrics();
    const { onEvicted } = watch(metrics);
    onEvicted(eviction({ renderings: 2 }));
    onEvicted(eviction({ reason: "space", renderings: 3 }));
    const engine = createEngine({
      storage: createMemoryStorage({ cacheMaxBytes: 100_000 }),
      renderer: createFakeRenderer(),
      secretKey: "a key for these tests",
    });
    const { body } = await metrics.expose(engine);
    await engine.close();
    expect(body).toContain('snap_cache_evictions_total{reason="quota"} 2\n');
    expect(body).toContain('snap_cache_evictions_total{reason="space"} 3\n');
    expect(body).toContain("snap_cache_bytes 0\n");
    expect(body).toContain("snap_cache_max_bytes 100000\n");
    expect(body).not.toMatch(/^snap_cache_free_bytes \d/m);
  });
});
