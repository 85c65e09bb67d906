import { describe, expect, it } from "vitest";
import { createClient, type ScreenshotInput } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { openRawServer, png, TOKEN } from "./raw-server.ts";
import { openService } from "./service.ts";

const PAGE = { url: "https://example.com/" } as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("an error from the service", () => {
  it("becomes a SnapError with the envelope's code, status, message and request id", async () => {
    const { baseUrl } = await openService();
    const token = "999|0123456789012345678901234567890123456789";
    const failure = await failureOf(createClient({ baseUrl, token }).screenshot(PAGE));
    expect(failure).toMatchObject({
      name: "SnapError",
      code: "unauthenticated",
      status: 401,
      retryAfterSeconds: null,
      errors: null,
    });
    expect(failure.requestId).toMatch(UUID);
    expect(failure.message).not.toBe("");
  });

  it.for([
    ["credit_limit_reached", 402, { credits: 0 }],
    ["email_unverified", 403, { verified: false }],
    ["missing_ability", 403, { abilities: ["pdf"] }],
  ] as const)("has the code %s and the status %i", async ([code, status, account]) => {
    const snap = await (await openService()).client(account);
    expect(await failureOf(snap.screenshot(PAGE))).toMatchObject({ code, status });
  });

  it("can be blocked_host, which only the service checks", async () => {
    const snap = await (await openService()).client();
    const failure = await failureOf(snap.screenshot({ url: "http://10.0.0.1/" }));
    expect(failure).toMatchObject({ code: "blocked_host", status: 422 });
  });

  it("has retryAfterSeconds when the rate limit is exceeded", async () => {
    const snap = await (await openService()).client({ requestsPerMinute: 1 }, { maxRetries: 0 });
    await snap.screenshot(PAGE);
    const failure = await failureOf(snap.screenshot({ url: "https://example.com/other" }));
    expect(failure).toMatchObject({ code: "rate_limited", status: 429, retryAfterSeconds: 60 });
  });
});

describe("arguments that are not an object", () => {
  it.each([undefined, null, "https://example.com"])("are rejected without a request: %j", async (wrong) => {
    const { origin, requests } = await openRawServer(png);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    for (const call of [
      () => snap.screenshot(wrong as never),
      () => snap.pdf(wrong as never),
      () => snap.batches.submit(wrong as never),
      () => snap.batches.download(wrong as never),
    ])
      expect(await failureOf(call())).toMatchObject({
        code: "misconfigured",
        message: "The first argument must be an object.",
      });
    expect(requests).toHaveLength(0);
  });
});

describe("parameters that the service would reject", () => {
  const invalid = [
    ["a typo", { ...PAGE, fullpage: true }],
    ["quality with PNG", { ...PAGE, quality: 80 }],
    ["no url", {}],
    ["several at once", { ...PAGE, scale: 9, delay: -1, paperFormat: "a4" }],
  ] as const;

  it.for(invalid)("are rejected with the same error and without a request: %s", async ([, input]) => {
    const service = await openService();
    const { token } = await service.customer();
    let requests = 0;
    const snap = createClient({
      baseUrl: service.baseUrl,
      token,
      fetch: (address, init) => {
        requests += 1;
        return fetch(address, init);
      },
    });
    const failure = await failureOf(snap.screenshot(input as unknown as ScreenshotInput));
    expect(requests).toBe(0);

    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(input)) query.set(name, String(value));
    const response = await fetch(`${service.baseUrl}/snap?${query.toString()}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { code, message, errors } = (await response.json()) as Record<string, unknown>;
    expect(failure).toMatchObject({ code, message, errors, status: 422, requestId: null });
    expect(response.status).toBe(422);
  });
});
