import { describe, expect, expectTypeOf, it, vi, type Mock } from "vitest";
import { createClient, type Hooks, type Logger, type RequestEvent } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { envelope, openRawServer, png, recordWaits, resetConnection, TOKEN } from "./raw-server.ts";

const PAGE = { url: "https://example.com/?key=pa55" } as const;
const busy = envelope(503, "not_ready", { "Retry-After": "2", "X-Request-Id": "7d1c" });

function recordEvents(): { readonly hooks: Hooks; readonly events: [string, RequestEvent][] } {
  const events: [string, RequestEvent][] = [];
  return {
    events,
    hooks: {
      onRequest: (event) => events.push(["request", event]),
      onResponse: (event) => events.push(["response", event]),
      onRetry: (event) => events.push(["retry", event]),
    },
  };
}

function failingFunctions(): { readonly fail: Mock<() => void>; readonly reject: Mock<() => Promise<void>> } {
  const fault = new Error("a broken hook");
  return {
    fail: vi.fn<() => void>(() => {
      throw fault;
    }),
    reject: vi.fn<() => Promise<void>>(() => Promise.reject(fault)),
  };
}

describe("hooks", () => {
  it("receive the metadata of each attempt, without the query", async () => {
    const { origin } = await openRawServer(resetConnection, busy, png);
    const { hooks, events } = recordEvents();
    await createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), hooks }).screenshot(PAGE);
    const request = { method: "GET", path: "/v1/snap" };
    const requestId = "0d9b5c0e-6a0f-4b0e-9a55-2f6d3b1f7c11";
    expect(events).toEqual([
      ["request", { ...request, attempt: 1 }],
      [
        "retry",
        { ...request, attempt: 1, code: "connection_failed", status: 0, requestId: null, delayMs: 250 },
      ],
      ["request", { ...request, attempt: 2 }],
      ["response", { ...request, attempt: 2, status: 503, durationMs: 0, requestId: "7d1c" }],
      ["retry", { ...request, attempt: 2, code: "not_ready", status: 503, requestId: "7d1c", delayMs: 2250 }],
      ["request", { ...request, attempt: 3 }],
      ["response", { ...request, attempt: 3, status: 200, durationMs: 0, requestId }],
    ]);
  });

  it("never receive the token", async () => {
    const echo = envelope(404, "not_found", { "X-Request-Id": TOKEN });
    const { origin } = await openRawServer(echo);
    const { hooks, events } = recordEvents();
    const lines: string[] = [];
    const log = (line: string): number => lines.push(line);
    const logger = { debug: log, info: log, warn: log };
    const snap = createClient({ baseUrl: origin, token: TOKEN, hooks, logger });
    await failureOf(snap.batches.get(TOKEN));
    expect(events).toHaveLength(2);
    expect(lines).toHaveLength(2);
    expect(JSON.stringify([events, lines])).not.toContain("ThisIsTheSecretPart");
  });

  it("do not affect a call by throwing or rejecting", async () => {
    const { origin } = await openRawServer(busy, png);
    const { fail, reject } = failingFunctions();
    const hooks = { onRequest: fail, onResponse: reject, onRetry: fail };
    const snap = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), hooks });
    expect((await snap.screenshot(PAGE)).notModified).toBe(false);
    expect([fail.mock.calls.length, reject.mock.calls.length]).toEqual([3, 2]);
  });
});

describe("the logger", () => {
  it("receives a line for each event", async () => {
    const { origin } = await openRawServer(busy, png);
    const lines: [string, string][] = [];
    const logAt =
      (level: string) =>
      (line: string): number =>
        lines.push([level, line]);
    const logger = { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn") };
    await createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), logger }).screenshot(PAGE);
    expect(lines).toEqual([
      ["debug", "snap: GET /v1/snap, attempt 1"],
      ["info", "snap: GET /v1/snap: 503 in 0 ms, request 7d1c"],
      ["warn", "snap: GET /v1/snap: not_ready, retry 1 in 2250 ms"],
      ["debug", "snap: GET /v1/snap, attempt 2"],
      ["info", "snap: GET /v1/snap: 200 in 0 ms, request 0d9b5c0e-6a0f-4b0e-9a55-2f6d3b1f7c11"],
    ]);
  });

  it("does not affect a call by throwing or rejecting", async () => {
    const { origin } = await openRawServer(busy, png);
    const { fail, reject } = failingFunctions();
    const logger = { debug: fail, info: reject, warn: fail };
    const snap = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), logger });
    expect((await snap.screenshot(PAGE)).notModified).toBe(false);
    expect([fail.mock.calls.length, reject.mock.calls.length]).toEqual([3, 2]);
  });

  it("can be the console", () => {
    expectTypeOf(console).toExtend<Logger>();
  });
});
