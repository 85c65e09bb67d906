import type { Engine } from "@snap/engine";
import type { RenderBatch } from "@snap/protocol";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { addParameter } from "./add-parameter.ts";

/*
 * Two releases share a data folder; the later one has an additional parameter. The earlier release's cache entries and
 * signed URLs stay valid.
 */

const START_MS = Date.parse("2026-03-01T12:00:00Z");

interface Release {
  readonly origin: string;
  readonly engine: Engine;
  readonly renders: () => number;
  close(): Promise<void>;
}

/** Starts the service from freshly loaded modules. */
async function openRelease(directory: string): Promise<Release> {
  vi.resetModules();
  const { createEngine } = await import("@snap/engine");
  const { openSqliteStorage } = await import("@snap/storage-sqlite");
  const testing = await import("@snap/testing");
  const { serveEngine } = await import("../../../server/test/http/serve-engine.ts");
  const renderer = testing.createFakeRenderer();
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer,
    secretKey: "a key for these tests",
    clock: testing.createFakeClock(START_MS),
    machine: testing.createFakeMachine(),
    resolver: testing.createFakeResolver({ "example.com": ["93.184.215.14"] }),
    baseUrl: "https://snap.example.com/v1",
  });
  const service = await serveEngine(engine);
  return {
    origin: service.origin,
    engine,
    renders: () => renderer.calls.length,
    async close() {
      await service.stop();
      await engine.close();
    },
  };
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "snap-releases-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe("a release with a new parameter", () => {
  it("serves the cache entries of the previous release through its signed URLs", async () => {
    const before = await openRelease(directory);
    const account = await before.engine.accounts.create({
      email: "ada@example.com",
      planSlug: "starter",
      verified: true,
    });
    const { token } = await before.engine.tokens.create({ accountId: account.id });
    const worker = before.engine.startWorker();
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const items = [
      { url: "https://example.com/a", fullPage: true, format: "webp", quality: 50 },
      { url: "https://example.com/b", pdf: true, paperFormat: "letter" },
      { url: "https://example.com/c", width: 390, height: 844, waitUntil: "load", cacheTtl: 7200 },
    ];
    const submitted = await fetch(`${before.origin}/v1/renders`, {
      method: "POST",
      headers,
      body: JSON.stringify({ items }),
    });
    const { id } = (await submitted.json()) as RenderBatch;
    const poll = async (): Promise<RenderBatch> => {
      const polled = await fetch(`${before.origin}/v1/renders/${id}`, { headers });
      return (await polled.json()) as RenderBatch;
    };
    await expect.poll(async () => (await poll()).status).toBe("complete");
    await worker.stop();
    const batch = await poll();
    expect(batch.items.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(before.renders()).toBe(3);
    await before.close();

    onTestFinished(addParameter());
    const after = await openRelease(directory);
    for (const { signed_url: signedUrl, etag } of batch.items) {
      const response = await fetch(String(signedUrl).replace("https://snap.example.com", after.origin));
      expect(response.status).toBe(200);
      expect(response.headers.get("x-cache")).toBe("HIT");
      expect(response.headers.get("etag")).toBe(etag);
    }
    expect(after.renders()).toBe(0);
    const fresh = await fetch(`${after.origin}/v1/snap?url=https://example.com/a&darkMode=1`, { headers });
    expect(fresh.headers.get("x-cache")).toBe("MISS");
    await after.close();
  });
});
