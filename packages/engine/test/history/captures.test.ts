import { createMemoryStorage } from "@snap/testing";
import { describe, expect, it, vi } from "vitest";
import { SnapError } from "../../src/errors.ts";
import type { HistoryStore } from "../../src/ports/history.ts";
import { NOON, openHistory } from "./open-history.ts";

const url = "https://example.com/a?b=c";

describe("the history of captures", () => {
  it("records the request and the result of a render and a hit", async () => {
    const { engine, clock, principal, flushHistory } = await openHistory();
    const request = { principal, parameters: { url, fullPage: true, format: "png" } };
    // NUL cannot be stored in PostgreSQL
    const { rendering } = await engine.capture({ ...request, requestId: "first\0", entryPoint: "snap" });
    clock.advance(500);
    await engine.capture(request);
    const [hit, render] = await flushHistory();
    expect(render).toEqual({
      id: expect.stringMatching(/^req_019ca9450a00[0-9a-f]{12}$/),
      at: NOON,
      requestId: "first\uFFFD",
      batchId: null,
      accountId: principal.account.id,
      tokenId: 1,
      entryPoint: "snap",
      mode: "screenshot",
      host: "example.com",
      parameters: { url, fullPage: true },
      code: null,
      message: null,
      durationMs: 0,
      cache: "miss",
      creditCost: 1,
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      etag: rendering.etag,
      bytes: rendering.bytes.byteLength,
      targetStatus: 200,
      notes: [],
      expiresAt: NOON + 86_400_000,
    });
    expect(hit).toEqual({
      ...render,
      id: expect.any(String),
      at: NOON + 500,
      requestId: null,
      entryPoint: "engine",
      cache: "hit",
      creditCost: 0,
    });
    const totals = { renders: 1, hits: 1, failures: 0, credits: 1 };
    expect(await engine.history.usage({ from: "2026-03-01", to: "2026-03-01", by: "day" })).toMatchObject([
      totals,
    ]);
  });

  it("records durations, including that of a request that joined another", async () => {
    const { engine, clock, renderer, principal, flushHistory } = await openHistory();
    const release = renderer.hold();
    const parameters = { url, pdf: true };
    const leader = engine.capture({ principal, parameters });
    await renderer.whenCalled(1);
    clock.advance(200);
    const joined = engine.capture({ principal, parameters });
    await new Promise(setImmediate);
    clock.advance(300);
    release();
    await Promise.all([leader, joined]);
    const entries = await flushHistory();
    expect(
      entries
        .map(({ cache, mode, durationMs, creditCost }) => ({ cache, mode, durationMs, creditCost }))
        .toSorted((a, b) => a.durationMs - b.durationMs),
    ).toEqual([
      { cache: "hit", mode: "pdf", durationMs: 300, creditCost: 0 },
      { cache: "miss", mode: "pdf", durationMs: 500, creditCost: 1 },
    ]);
  });

  it("records unchanged renderings, with their size if they were read", async () => {
    const { engine, principal, flushHistory } = await openHistory({ memoryCacheBytes: 1 });
    const holds = (): boolean => true;
    const { rendering } = await engine.capture({ principal, parameters: { url }, holds });
    const hit = await engine.capture({ principal, parameters: { url }, holds });
    expect(hit).toMatchObject({ cache: "hit", unchanged: true });
    await engine.capture({ principal, parameters: { url, cache: false }, holds });
    const entries = (await flushHistory()).map(({ cache, etag, bytes, expiresAt }) => ({
      cache,
      etag,
      bytes,
      expiresAt,
    }));
    const { etag, bytes } = rendering;
    expect(entries).toHaveLength(3);
    expect(entries).toEqual(
      expect.arrayContaining([
        { cache: "miss", etag, bytes: bytes.byteLength, expiresAt: NOON + 86_400_000 },
        { cache: "hit", etag, bytes: null, expiresAt: NOON + 86_400_000 },
        { cache: "bypass", etag: expect.any(String), bytes: expect.any(Number), expiresAt: null },
      ]),
    );
  });

  it("records no expiry for a rendering that does not fit the cache, nor for a request that joined its render", async () => {
    const storage = createMemoryStorage({ cacheMaxBytes: 100 });
    const { engine, principal, flushHistory } = await openHistory({ storage });
    await Promise.all([1, 2].map(() => engine.capture({ principal, parameters: { url } })));
    const entries = await flushHistory();
    expect(new Set(entries.map(({ cache }) => cache))).toEqual(new Set(["hit", "miss"]));
    expect(entries.map(({ expiresAt }) => expiresAt)).toEqual([null, null]);
  });

  it("records failures and rejections, with their parameters if these are valid", async () => {
    const { engine, renderer, principal, flushHistory } = await openHistory({ requestsPerMinute: 1 });
    const message = "The page was ended.";
    renderer.failNext(new SnapError("upstream_error", message, { notes: ["blank"], detail: "secret" }));
    const attempts = [
      { url },
      { url },
      { url: "http://127.0.0.1/" },
      { url, width: 0 },
      { pdf: true },
      { url, unknown: "1" },
    ];
    for (const parameters of attempts) {
      await expect(engine.capture({ principal, parameters })).rejects.toBeInstanceOf(SnapError);
    }
    const entries = (await flushHistory()).map(
      ({ code, host, parameters, cache, notes, creditCost, key }) => [
        code,
        host,
        parameters,
        key === null,
        cache,
        creditCost,
        notes,
      ],
    );
    expect(entries).toHaveLength(6);
    const invalid = [null, null, true, null, 0, []];
    expect(entries).toEqual(
      expect.arrayContaining([
        ["upstream_error", "example.com", { url }, false, null, 0, ["blank"]],
        ["rate_limited", "example.com", { url }, false, null, 0, []],
        ["blocked_host", "127.0.0.1", { url: "http://127.0.0.1/" }, false, null, 0, []],
        ["validation_failed", ...invalid],
        ["invalid_url", ...invalid],
        ["validation_failed", ...invalid],
      ]),
    );
    const { entries: failed } = await engine.history.page({ limit: 9, isFailure: true });
    expect(failed.map((entry) => entry.message)).toContain(message);
    expect(await engine.history.usage({ from: "2026-03-01", to: "2026-03-01", by: "day" })).toMatchObject([
      { renders: 0, hits: 0, failures: 6, credits: 0 },
    ]);
  });

  it("records an internal error with the message that the caller received", async () => {
    const storage = createMemoryStorage();
    const renderings = { ...storage.renderings };
    const { engine, principal, flushHistory } = await openHistory({ storage: { ...storage, renderings } });
    renderings.get = async () => {
      throw new Error("secret");
    };
    await expect(engine.capture({ principal, parameters: { url } })).rejects.toMatchObject({
      code: "server_error",
    });
    expect(await flushHistory()).toMatchObject([
      { code: "server_error", message: "Internal error. If it persists, report the request id." },
    ]);
  });

  it("records no secrets", async () => {
    const { engine, principal, flushHistory } = await openHistory();
    const parameters = {
      url,
      headers: { "X-Preview": "hidden-1" },
      cookies: [{ name: "a", value: "hidden-2" }],
      basicAuth: "hidden-3:hidden-4",
    };
    await engine.capture({ principal, parameters });
    const withPassword = { url: "https://hidden-5:hidden-6@10.0.0.1/@x" };
    await expect(engine.capture({ principal, parameters: withPassword })).rejects.toMatchObject({
      code: "blocked_host",
    });
    const entries = await flushHistory();
    expect(entries.map((entry) => entry.parameters)).toEqual(
      expect.arrayContaining([
        { url, headers: "[secret]", cookies: "[secret]", basicAuth: "[secret]" },
        { url: "https://10.0.0.1/@x" },
      ]),
    );
    expect(JSON.stringify(entries)).not.toContain("hidden");
  });

  it.each([
    ["https://user:hidden@10.0.0.1:8443/", "https://10.0.0.1:8443/"],
    ["https://hidden@@10.0.0.1/?q=a@b", "https://10.0.0.1/?q=a@b"],
    ["HTTP://hidden:@10.0.0.1?q=a@b", "HTTP://10.0.0.1?q=a@b"],
    ["https://10.0.0.1/a@b?q=a@b#c@d", "https://10.0.0.1/a@b?q=a@b#c@d"],
  ])("records %j without credentials", async (sent, stored) => {
    const { engine, principal, flushHistory } = await openHistory();
    await engine.capture({ principal, parameters: { url: sent } }).catch(() => {});
    expect(await flushHistory()).toMatchObject([{ code: "blocked_host", parameters: { url: stored } }]);
  });

  it("records the URL of a document, not its content", async () => {
    const { engine, principal, flushHistory } = await openHistory();
    await engine.capture({ principal, parameters: {}, document: { html: "<p>hidden</p>" } });
    const entries = await flushHistory();
    expect(entries).toMatchObject([
      {
        host: "documents.snap.invalid",
        parameters: {
          url: expect.stringMatching(/^https:\/\/documents\.snap\.invalid\/[0-9a-f]{64}\/$/),
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain("hidden");
  });

  it("truncates long messages, omits parameters that are too long, and replaces NUL characters", async () => {
    const { engine, renderer, principal, flushHistory } = await openHistory();
    renderer.failNext(new SnapError("script_failed", `\0${"😀".repeat(1000)}`));
    const script = `"\0"; ${"x".repeat(100)}`;
    await expect(engine.capture({ principal, parameters: { url, script } })).rejects.toBeInstanceOf(
      SnapError,
    );
    await engine.capture({
      principal,
      parameters: { url, script: "é".repeat(20_000), css: "é".repeat(20_000) },
    });
    const entries = await flushHistory();
    const failed = entries.find(({ code }) => code !== null);
    expect(failed?.message).toBe(`\uFFFD${"😀".repeat(499)}\uFFFD`);
    expect(failed?.parameters).toEqual({ url, script: script.replace("\0", "\uFFFD") });
    expect(entries.find(({ code }) => code === null)).toMatchObject({
      host: "example.com",
      parameters: null,
    });
  });
});

describe("an engine", () => {
  it("records nothing without a retention", async () => {
    const storage = createMemoryStorage();
    const append = vi.fn<HistoryStore["append"]>(storage.history.append);
    const history = { ...storage.history, append };
    const options = { storage: { ...storage, history }, historyRetentionMs: null };
    const { engine, principal, flushHistory } = await openHistory(options);
    await engine.capture({ principal, parameters: { url } });
    expect(engine.history.isRecorded).toBe(false);
    expect(await flushHistory()).toEqual([]);
    await engine.close();
    expect(append).not.toHaveBeenCalled();
  });

  it("continues to capture while the history cannot be written", async () => {
    const storage = createMemoryStorage();
    const append = vi.fn<HistoryStore["append"]>().mockRejectedValue(new Error("the disk is full"));
    const history = { ...storage.history, append };
    const bench = await openHistory({ storage: { ...storage, history } });
    const { engine, principal, flushHistory, errors } = bench;
    expect(engine.history.isRecorded).toBe(true);
    await expect(engine.capture({ principal, parameters: { url } })).resolves.toMatchObject({
      creditCost: 1,
    });
    await flushHistory();
    await expect(engine.capture({ principal, parameters: { url } })).resolves.toMatchObject({ cache: "hit" });
    await flushHistory();
    expect(append).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([new Error("the disk is full")]);
  });

  it("records captures that finish while it closes", async () => {
    const { engine, storage, renderer, principal } = await openHistory();
    const release = renderer.hold();
    const captured = engine.capture({ principal, parameters: { url } });
    await renderer.whenCalled(1);
    const closed = engine.close();
    release();
    await Promise.all([captured, closed]);
    expect(await storage.history.page({ limit: 10 })).toMatchObject({ entries: [{ cache: "miss" }] });
  });
});
