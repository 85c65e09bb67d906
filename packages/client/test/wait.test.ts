import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, type RenderBatch, type SnapError } from "../src/index.ts";
import { batch, BATCH_ID, item } from "./batch-service.ts";
import { failureOf } from "./failure-of.ts";
import {
  envelope,
  html,
  openRawServer,
  recordWaits,
  resetConnection,
  TOKEN,
  type Responder,
} from "./raw-server.ts";

const QUEUED = batch(item(0, "queued"), item(1, "queued"));
const HALF = batch(item(0, "done"), item(1, "rendering"));
const COMPLETE = batch(item(0, "done"), item(1, "failed"));
const OPTIONS = { token: TOKEN, maxRetries: 0, pacing: recordWaits() };

const state =
  (document: object): Responder =>
  (response) =>
    response.end(JSON.stringify(document));
const hang: Responder = () => {};

describe("batches.wait() despite failures", () => {
  it.for([
    ["a reset connection", resetConnection],
    ["a timeout of the request", hang],
    ["502 from a proxy", html(502)],
    ["503 from a proxy", html(503)],
    ["504 from a proxy", html(504)],
    ["502 from the service", envelope(502, "upstream_error")],
    ["503 from the service", envelope(503, "not_ready")],
    ["504 from the service", envelope(504, "render_timeout")],
    ["a Retry-After that is too long to wait for", envelope(503, "not_ready", { "Retry-After": "3600" })],
  ] as const)("continues after %s, before and after the first state", async ([, fault]) => {
    const { origin } = await openRawServer(fault, state(HALF), fault, state(COMPLETE));
    const snap = createClient({ ...OPTIONS, baseUrl: origin, timeoutMs: 1000 });
    const progress: number[] = [];
    const complete = await snap.batches.wait(BATCH_ID, {
      onProgress: ({ finished }) => progress.push(finished),
    });
    expect(complete).toEqual(COMPLETE);
    expect(progress).toEqual([1, 2]);
  });

  it("polls at the usual intervals while connections are refused", async () => {
    const { origin, close } = await openRawServer(state(COMPLETE));
    await close();
    const pacing = recordWaits();
    const controller = new AbortController();
    const sleep = async (durationMs: number, signal?: AbortSignal): Promise<void> => {
      await pacing.sleep(durationMs, signal);
      if (pacing.waitsMs.length === 4) controller.abort();
      signal?.throwIfAborted();
    };
    const snap = createClient({ ...OPTIONS, baseUrl: origin, pacing: { ...pacing, sleep } });
    const failure = await failureOf(snap.batches.wait(BATCH_ID, { signal: controller.signal }));
    expect(failure.code).toBe("aborted");
    expect(pacing.waitsMs).toEqual([750, 1125, 1687.5, 2531.25]);
  });

  /** Waits for a batch until the time limit passes during the second poll interval. */
  async function failureAtLimit(...responders: readonly [Responder, Responder]): Promise<SnapError> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { origin, requests } = await openRawServer(...responders);
    const sleep = async (_durationMs: number, signal?: AbortSignal): Promise<void> => {
      if (requests.length === 2) vi.advanceTimersByTime(300);
      signal?.throwIfAborted();
    };
    const snap = createClient({ ...OPTIONS, baseUrl: origin, pacing: { ...recordWaits(), sleep } });
    return failureOf(snap.batches.wait(BATCH_ID, { timeoutMs: 300 }));
  }

  it("ends with timed_out, which names the last failure", async () => {
    const failure = await failureAtLimit(state(QUEUED), html(502, "<h1>Bad Gateway</h1>"));
    expect(failure).toMatchObject({
      code: "timed_out",
      status: 0,
      cause: { code: "unexpected_answer", status: 502 },
    });
    expect(failure.message).toMatch(
      /^The batch did not finish within 300 ms; the last poll failed: .* status 502: <h1>Bad Gateway<\/h1>$/,
    );
  });

  it("does not name a failure if a later poll succeeded", async () => {
    const failure = await failureAtLimit(html(502), state(QUEUED));
    expect(failure.code).toBe("timed_out");
    expect(failure.cause).toBeUndefined();
    expect(failure.message).toBe("The batch is still running; it did not finish within 300 ms.");
  });

  it.for([
    ["unauthenticated", 401],
    ["not_found", 404],
    ["validation_failed", 422],
    ["server_error", 500],
  ] as const)("ends immediately with %s", async ([code, status]) => {
    const { origin, requests } = await openRawServer(state(QUEUED), envelope(status, code));
    const snap = createClient({ ...OPTIONS, baseUrl: origin });
    expect(await failureOf(snap.batches.wait(BATCH_ID))).toMatchObject({ code, status });
    expect(requests).toHaveLength(2);
  });

  it("ends immediately if a response with status 200 is not from the service", async () => {
    const { origin, requests } = await openRawServer(html(200, "<h1>Sign in</h1>"));
    const snap = createClient({ ...OPTIONS, baseUrl: origin });
    expect(await failureOf(snap.batches.wait(BATCH_ID))).toMatchObject({ code: "unexpected_answer" });
    expect(requests).toHaveLength(1);
  });

  it.for([undefined, null, 7, {}])("rejects %o without starting its timer", async (start) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const snap = createClient({ ...OPTIONS, baseUrl: "https://snap.example.com" });
    const wrong = start as string;
    expect(await failureOf(snap.batches.wait(wrong))).toMatchObject({ code: "misconfigured", status: 0 });
    expect(await failureOf(snap.batches.items(wrong).next())).toMatchObject({ code: "misconfigured" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("starts no timer for a signal that is not an AbortSignal", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const snap = createClient({ ...OPTIONS, baseUrl: "https://snap.example.com" });
    const signal = new AbortController() as unknown as AbortSignal;
    for (const call of [snap.usage({ signal }), snap.batches.wait(BATCH_ID, { signal })])
      await expect(call).rejects.toThrow(TypeError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("accepts null as no signal, like fetch", async () => {
    const { origin } = await openRawServer(state(QUEUED), state(COMPLETE));
    const snap = createClient({ ...OPTIONS, baseUrl: origin });
    const signal = null as unknown as undefined;
    expect(await snap.batches.wait(BATCH_ID, { signal })).toEqual(COMPLETE);
  });

  it("rejects with the error from onProgress", async () => {
    const { origin } = await openRawServer(state(COMPLETE));
    const snap = createClient({ ...OPTIONS, baseUrl: origin });
    const fault = new Error("the database is down");
    const onProgress = async (): Promise<never> => {
      throw fault;
    };
    await expect(snap.batches.wait(BATCH_ID, { onProgress })).rejects.toBe(fault);
  });

  it("never reports fewer finished items than before", async () => {
    const { origin } = await openRawServer(state(QUEUED), state(HALF), state(QUEUED), state(COMPLETE));
    const snap = createClient({ ...OPTIONS, baseUrl: origin });
    const progress: number[] = [];
    await snap.batches.wait(HALF as RenderBatch, {
      onProgress: ({ finished }) => progress.push(finished),
    });
    expect(progress).toEqual([1, 1, 2]);
  });
});

describe("batches.items() despite failures", () => {
  it("yields each item once", async () => {
    const { origin } = await openRawServer(
      html(502),
      state(HALF),
      resetConnection,
      state(QUEUED),
      state(COMPLETE),
    );
    const snap = createClient({ ...OPTIONS, baseUrl: origin });
    const seen: string[] = [];
    for await (const { id } of snap.batches.items(BATCH_ID)) seen.push(id);
    expect(seen).toEqual(["item_0", "item_1"]);
  });
});
