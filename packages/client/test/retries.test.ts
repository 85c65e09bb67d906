import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient, type ClientOptions, type SnapClient } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { envelope, html, openRawServer, png, recordWaits, resetConnection, TOKEN } from "./raw-server.ts";

/** Below the ephemeral ports, so no other test can listen on it. */
const CLOSED_PORT = 3;
const PAGE = { url: "https://example.com/" } as const;

function clientOf(origin: string, options?: Partial<ClientOptions>): SnapClient {
  return createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), ...options });
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a retry", () => {
  it.for([
    ["rate_limited", 429],
    ["render_failed", 500],
    ["upstream_error", 502],
    ["upstream_rate_limited", 503],
    ["not_ready", 503],
    ["render_timeout", 504],
    ["request_timeout", 408],
  ] as const)("happens after %s", async ([code, status]) => {
    const { origin, requests } = await openRawServer(envelope(status, code), png);
    await clientOf(origin).screenshot(PAGE);
    expect(requests).toHaveLength(2);
  });

  it.for([
    ["unauthenticated", 401],
    ["credit_limit_reached", 402],
    ["missing_ability", 403],
    ["not_found", 404],
    ["validation_failed", 422],
    ["target_unreachable", 422],
    ["server_error", 500],
  ] as const)("does not happen after %s", async ([code, status]) => {
    const { origin, requests } = await openRawServer(envelope(status, code));
    expect(await failureOf(clientOf(origin).screenshot(PAGE))).toMatchObject({ code, status });
    expect(requests).toHaveLength(1);
  });

  it.for([
    [400, 1],
    [408, 3],
    [429, 3],
    [500, 1],
    [502, 3],
    [503, 3],
    [504, 3],
  ] as const)("depends on the status if the code is unknown: %i", async ([status, attempts]) => {
    const { origin, requests } = await openRawServer(envelope(status, "from_the_future"));
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "from_the_future", status, message: "about from_the_future" });
    expect(requests).toHaveLength(attempts);
  });

  it.for(["__proto__", "constructor"])("happens after a 503 even if the code is %s", async (code) => {
    const { origin, requests } = await openRawServer(envelope(503, code), png);
    await clientOf(origin).screenshot(PAGE);
    expect(requests).toHaveLength(2);
  });

  it("does not happen after an unknown code, which may be a proxy's, unless a retry is free", async () => {
    const { origin, requests } = await openRawServer(envelope(504, "timeout"));
    const snap = clientOf(origin);
    const calls = [snap.screenshot({ ...PAGE, cache: false }), snap.batches.resend("batch_01")];
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ code: "timeout", status: 504 });
    expect(requests).toHaveLength(2);
  });

  it("happens even with cache: false if the service reports the failure", async () => {
    const { origin, requests } = await openRawServer(envelope(504, "render_timeout"), png);
    await clientOf(origin).screenshot({ ...PAGE, cache: false });
    expect(requests).toHaveLength(2);
  });

  it("happens up to maxRetries times, and never with 0", async () => {
    const { origin, requests } = await openRawServer(envelope(503, "not_ready"));
    const snap = clientOf(origin, { maxRetries: 4 });
    await failureOf(snap.screenshot(PAGE));
    expect(requests).toHaveLength(5);
    await failureOf(snap.screenshot(PAGE, { maxRetries: 0 }));
    expect(requests).toHaveLength(6);
    await failureOf(clientOf(origin, { maxRetries: 0 }).screenshot(PAGE));
    expect(requests).toHaveLength(7);
  });

  it.for(["capture-too-large", "pages-unmatched", "selector-unmatched", "new-note"])(
    "does not happen after a failure with the note %s",
    async (note) => {
      const { origin, requests } = await openRawServer(
        envelope(500, "render_failed", { "X-Render-Notes": note }),
      );
      const failure = await failureOf(clientOf(origin, { pacing: recordWaits() }).screenshot(PAGE));
      expect(failure).toMatchObject({ code: "render_failed", notes: [note] });
      expect(requests).toHaveLength(1);
    },
  );

  it.for([
    ["61", undefined],
    ["10000000000", undefined],
    ["3", 2000],
  ] as const)("does not happen when Retry-After is too long: %s s", async ([retryAfter, maxRetryDelayMs]) => {
    const pacing = recordWaits();
    const busy = envelope(503, "upstream_rate_limited", { "Retry-After": retryAfter });
    const { origin, requests } = await openRawServer(busy);
    const snap = clientOf(origin, { pacing, maxRetryDelayMs });
    expect(await failureOf(snap.screenshot(PAGE))).toMatchObject({ retryAfterSeconds: Number(retryAfter) });
    expect(requests).toHaveLength(1);
    expect(pacing.waitsMs).toEqual([]);
  });

  it("does not happen after upstream_quota_exceeded, whose default wait is an hour", async () => {
    const { origin, requests } = await openRawServer(envelope(502, "upstream_quota_exceeded"));
    expect(await failureOf(clientOf(origin).screenshot(PAGE))).toMatchObject({ retryAfterSeconds: 3600 });
    expect(requests).toHaveLength(1);
  });
});

describe("the wait before a retry", () => {
  it("follows Retry-After in seconds", async () => {
    const pacing = recordWaits();
    const { origin } = await openRawServer(
      envelope(503, "upstream_rate_limited", { "Retry-After": "7" }),
      envelope(429, "rate_limited", { "Retry-After": "60" }),
      png,
    );
    await clientOf(origin, { pacing }).screenshot(PAGE);
    expect(pacing.waitsMs).toEqual([7250, 60_250]);
  });

  it("follows Retry-After as a date in any of the three HTTP formats, always in GMT", async () => {
    vi.stubEnv("TZ", "America/New_York");
    const pacing = recordWaits({ nowMs: Date.parse("2026-03-01T12:00:00.400Z") });
    const { origin } = await openRawServer(
      envelope(503, "not_ready", { "Retry-After": "Sun, 01 Mar 2026 12:00:09 GMT" }),
      envelope(503, "not_ready", { "Retry-After": "Sunday, 01-Mar-26 12:00:08 GMT" }),
      envelope(503, "not_ready", { "Retry-After": "Sun Mar  1 12:00:07 2026" }),
      envelope(503, "not_ready", { "Retry-After": "Sun, 01 Mar 2026 11:00:00 GMT" }),
      png,
    );
    await clientOf(origin, { pacing, maxRetries: 4 }).screenshot(PAGE);
    expect(pacing.waitsMs).toEqual([9250, 8250, 7250, 250]);
  });

  it("is the code's default when the header is missing", async () => {
    const pacing = recordWaits();
    const { origin } = await openRawServer(envelope(504, "render_timeout"), png);
    await clientOf(origin, { pacing }).screenshot(PAGE);
    expect(pacing.waitsMs).toEqual([10_250]);
  });

  it.for(["soon", "-5", "1.5", "", "0x10"])(
    "grows exponentially, with full jitter, if Retry-After is invalid: %o",
    async (header) => {
      const pacing = recordWaits({ random: 0.5 });
      const failing = envelope(500, "render_failed", { "Retry-After": header });
      const { origin } = await openRawServer(failing, failing, failing, png);
      await clientOf(origin, { pacing, maxRetries: 3 }).screenshot(PAGE);
      expect(pacing.waitsMs).toEqual([250, 500, 1000]);
    },
  );

  it("grows up to maxRetryDelayMs", async () => {
    const pacing = recordWaits({ random: 0.999 });
    const { origin } = await openRawServer(envelope(500, "render_failed"));
    await failureOf(clientOf(origin, { pacing, maxRetries: 4, maxRetryDelayMs: 2000 }).screenshot(PAGE));
    expect(pacing.waitsMs).toEqual([499.5, 999, 1998, 1998]);
  });

  it("ends when the signal aborts, with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("no longer needed");
    const { origin, requests } = await openRawServer((response, request) => {
      envelope(503, "not_ready", { "Retry-After": "30" })(response, request);
      response.once("close", () => controller.abort(reason));
    });
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    expect(await failureOf(snap.screenshot(PAGE, { signal: controller.signal }))).toMatchObject({
      code: "aborted",
      cause: reason,
    });
    expect(requests).toHaveLength(1);
  });
});

describe("a request whose connection is lost", () => {
  it("is retried, because the cache makes a retry free", async () => {
    const { origin, requests } = await openRawServer(resetConnection, png);
    const { bytes } = await clientOf(origin).screenshot(PAGE);
    expect(new TextDecoder().decode(bytes)).toBe("an image");
    expect(requests).toHaveLength(2);
  });

  it("is retried if the body is incomplete", async () => {
    const { origin, requests } = await openRawServer((response) => {
      response.writeHead(200, { "Content-Type": "image/png", "Content-Length": "100" });
      response.write("an im", () => response.socket?.destroy());
    }, png);
    const { bytes } = await clientOf(origin).screenshot(PAGE);
    expect(new TextDecoder().decode(bytes)).toBe("an image");
    expect(requests).toHaveLength(2);
  });

  it("is not retried without the cache, because a retry could cost a second credit", async () => {
    const { origin, requests } = await openRawServer(resetConnection);
    const failure = await failureOf(clientOf(origin).screenshot({ ...PAGE, cache: false }));
    expect(failure).toMatchObject({ code: "connection_failed", status: 0, requestId: null });
    expect(requests).toHaveLength(1);
  });

  it.for(["127.0.0.1", "localhost"])("fails with the reason and the origin if refused: %s", async (host) => {
    const failure = await failureOf(clientOf(`http://${host}:${CLOSED_PORT}`).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "connection_failed", status: 0 });
    expect(failure.message).toContain(`The connection to http://${host}:${CLOSED_PORT} failed: `);
    expect(failure.message).toContain("ECONNREFUSED");
    expect(failure.cause).toBeInstanceOf(Error);
  });
});

describe("a request that fails at a proxy", () => {
  it("is retried after a 502", async () => {
    const { origin, requests } = await openRawServer(html(502), png);
    await clientOf(origin).screenshot(PAGE);
    expect(requests).toHaveLength(2);
  });

  it("is not retried if the service might have done the work and a retry is not free", async () => {
    const { origin, requests } = await openRawServer(html(504));
    await failureOf(clientOf(origin).screenshot({ ...PAGE, cache: false }));
    await failureOf(clientOf(origin).batches.resend("batch_01"));
    expect(requests).toHaveLength(2);
  });
});
