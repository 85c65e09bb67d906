import { SnapError } from "@snap/engine";
import { signQuery } from "@snap/protocol";
import { describe, expect, it } from "vitest";
import { envelopeOf, openService, signedQuery, UUID, type Reply, type TestService } from "./open-service.ts";

/* docs/reference/specification.md and docs/decisions/signed-urls.md. */

const url = "https://example.com/";
/** The service's clock starts at 2026-03-01T12:00:00Z. */
const NOW_SECONDS = 1772366400;

const SECRET_HEADERS = [
  "x-credits-limit",
  "x-credits-remaining",
  "x-credits-reset",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
];

async function sendSigned(
  { send }: TestService,
  { tokenId, signingSecret }: { tokenId: number; signingSecret: string },
  parameters: Record<string, string | number> = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const query = signedQuery({ url, ...parameters, tokenId }, signingSecret);
  const reply = await send(`/v1/snap/signed?${query}`, { headers });
  expect(reply.headers["x-request-id"]).toMatch(UUID);
  for (const name of SECRET_HEADERS) expect(reply.headers[name]).toBeUndefined();
  expect(reply.headers["cross-origin-resource-policy"]).toBe("cross-origin");
  expect(reply.headers["access-control-allow-origin"]).toBe("*");
  expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  return reply;
}

function codeOf(reply: Reply): [number, string] {
  expect(reply.headers["cache-control"]).toBe("no-store");
  return [reply.status, envelopeOf(reply).code];
}

describe("a signed URL renders", () => {
  it("as a MISS, then a HIT, then with cache=0, then as a 304", async () => {
    const service = await openService();
    const customer = await service.customer();
    const miss = await sendSigned(service, customer);
    expect(miss.status).toBe(200);
    expect(miss.headers).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=86400",
      "x-cache": "MISS",
      "x-target-status": "200",
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      "content-security-policy": "default-src 'none'; sandbox",
    });
    service.clock.advance(1000);
    const hit = await sendSigned(service, customer);
    expect(hit.headers).toMatchObject({ "x-cache": "HIT", "cache-control": "public, max-age=86399" });
    expect(hit.body.equals(miss.body)).toBe(true);
    const bypass = await sendSigned(service, customer, { cache: 0 });
    expect(bypass.status).toBe(200);
    expect(bypass.headers["cache-control"]).toBe("no-store");
    expect(bypass.headers["x-cache"]).toBeUndefined();
    const held = await sendSigned(service, customer, {}, { "If-None-Match": String(miss.headers.etag) });
    expect(held.status).toBe(304);
    expect(held.headers).toMatchObject({ "x-cache": "HIT", "cache-control": "public, max-age=86399" });
    expect(held.body).toHaveLength(0);
  });

  it("a PDF, without the Content-Security-Policy that breaks PDF viewers", async () => {
    const service = await openService();
    const reply = await sendSigned(service, await service.customer(), { pdf: "true", cacheTtl: 600 });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "application/pdf",
      "cache-control": "public, max-age=600",
    });
    expect(reply.headers["content-security-policy"]).toBeUndefined();
    expect(reply.headers["x-target-status"]).toBeUndefined();
  });

  it("from the cache it shares with the bearer API, ignoring a bearer token", async () => {
    const service = await openService();
    const [owner, other] = [await service.customer(), await service.customer()];
    expect((await service.snap({ url }, { token: owner.token })).headers["x-cache"]).toBe("MISS");
    for (const authorization of [`Bearer ${other.token}`, "Bearer nonsense", "Basic eDp5"]) {
      const reply = await sendSigned(service, owner, {}, { Authorization: authorization });
      expect([reply.status, reply.headers["x-cache"]]).toEqual([200, "HIT"]);
    }
  });

  it("for any order and encoding of the query, because the decoded pairs are signed", async () => {
    const service = await openService();
    const { tokenId, signingSecret } = await service.customer();
    const parameters = { url: "https://example.com/?q=a+b%20c&ü=(1)!*'~", selector: "main > p", tokenId };
    const signed = new URLSearchParams(signedQuery(parameters, signingSecret));
    const form = new URLSearchParams([...signed].toReversed());
    expect(form.toString()).toContain("selector=main+%3E+p");
    expect((await service.send(`/v1/snap/signed?${form.toString()}`)).status).toBe(200);
    const lowerCase = form.toString().replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    expect((await service.send(`/v1/snap/signed?${lowerCase}`)).headers["x-cache"]).toBe("HIT");
    expect(service.renderer.calls).toHaveLength(1);
  });

  it("for a query with the longest url and selectors", async () => {
    const service = await openService();
    const parameters = {
      url: `https://example.com/${"🔑".repeat(2048 - 20)}`,
      width: 1280,
      height: 10_000,
      scale: 1,
      selector: "🔑".repeat(512),
      waitForSelector: "🔑".repeat(512),
      format: "jpeg",
      quality: 100,
      waitUntil: "domcontentloaded",
      delay: 10_000,
      cacheTtl: 2_592_000,
      expires: 999_999_999_999,
    };
    const reply = await sendSigned(service, await service.customer(), parameters);
    expect(reply.status).toBe(200);
  });

  it("for conditional requests by scripts from other origins", async () => {
    const service = await openService();
    const { send } = service;
    const customer = await service.customer();
    const origin = { Origin: "https://app.example" };
    const { headers } = await sendSigned(service, customer, {}, origin);
    // a script can read the entity tag, and send it after a preflight
    expect(headers["access-control-expose-headers"]).toBe("*");
    const held = await sendSigned(
      service,
      customer,
      {},
      { ...origin, "If-None-Match": String(headers.etag) },
    );
    expect(held.status).toBe(304);
    const preflight = await send("/v1/snap/signed", { method: "OPTIONS", headers: origin });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      allow: "GET, HEAD, OPTIONS",
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "If-None-Match",
    });
    expect(
      (await send("/v1/snap", { method: "OPTIONS" })).headers["access-control-allow-origin"],
    ).toBeUndefined();
  });

  it("for HEAD, without the body", async () => {
    const service = await openService();
    const { tokenId, signingSecret } = await service.customer();
    const path = `/v1/snap/signed?${signedQuery({ url, tokenId }, signingSecret)}`;
    const head = await service.send(path, { method: "HEAD" });
    expect([head.status, head.body.length, head.headers["x-cache"]]).toEqual([200, 0, "MISS"]);
  });
});

describe("the lifetime of a signed URL", () => {
  it.each([
    [{ expires: NOW_SECONDS + 60 }, "public, max-age=60"],
    [{ expires: NOW_SECONDS + 60, cacheTtl: 61 }, "public, max-age=60"],
    [{ expires: NOW_SECONDS + 3600, cacheTtl: 60 }, "public, max-age=60"],
    [{ expires: 999999999999 }, "public, max-age=86400"],
  ])("with %o results in Cache-Control: %s", async (parameters, cacheControl) => {
    const service = await openService();
    const reply = await sendSigned(service, await service.customer(), parameters);
    expect(reply.status).toBe(200);
    expect(reply.headers["cache-control"]).toBe(cacheControl);
  });

  it("ends at `expires`", async () => {
    const service = await openService();
    const customer = await service.customer();
    const parameters = { expires: NOW_SECONDS + 60 };
    service.clock.advance(59_999);
    const last = await sendSigned(service, customer, parameters);
    expect([last.status, last.headers["cache-control"]]).toEqual([200, "public, max-age=0"]);
    service.clock.advance(1);
    expect(codeOf(await sendSigned(service, customer, parameters))).toEqual([403, "signed_url_expired"]);
  });

  it.each(["", "soon", "-1", "1e12", "1772366460.5", " 1772366460", "0x10", "9999999999999"])(
    "an invalid `expires` of %j is reported if the signature is valid",
    async (expires) => {
      const service = await openService();
      const reply = await sendSigned(service, await service.customer(), { expires });
      expect(codeOf(reply)).toEqual([422, "validation_failed"]);
      expect(Object.keys(envelopeOf(reply).errors ?? {})).toEqual(["expires"]);
    },
  );

  it("ends when the token is rotated or revoked, or expires", async () => {
    const service = await openService();
    const { engine, clock } = service;
    const customer = await service.customer();
    const { signingSecret } = await engine.tokens.rotate(customer.tokenId);
    expect(codeOf(await sendSigned(service, customer))).toEqual([403, "invalid_signature"]);
    const rotated = { ...customer, signingSecret };
    expect((await sendSigned(service, rotated)).status).toBe(200);
    await engine.tokens.revoke(customer.tokenId);
    expect(codeOf(await sendSigned(service, rotated))).toEqual([403, "invalid_signature"]);

    const expiring = await engine.tokens.create({ accountId: customer.id, expiresAt: clock.now() + 1000 });
    const expiringSigner = { tokenId: expiring.record.id, signingSecret: expiring.signingSecret };
    expect((await sendSigned(service, expiringSigner)).status).toBe(200);
    clock.advance(1000);
    expect(codeOf(await sendSigned(service, expiringSigner))).toEqual([403, "invalid_signature"]);
  });
});

describe("an invalid signature always returns the same invalid_signature error:", () => {
  const genuine = "url=https%3A%2F%2Fexample.com%2F";
  it.each<[string, (query: string) => string]>([
    ["no signature", (query) => query.replace(/&signature=.*/, "")],
    ["an empty signature", (query) => query.replace(/&signature=.*/, "&signature=")],
    ["an uppercase signature", (query) => query.replace(/[0-9a-f]{64}$/, (text) => text.toUpperCase())],
    ["a shorter signature", (query) => query.slice(0, -1)],
    ["a longer signature", (query) => `${query}0`],
    ["a different digit", (query) => `${query.slice(0, -1)}${query.endsWith("0") ? "1" : "0"}`],
    ["no tokenId", (query) => query.replace(/&?tokenId=\d+/, "")],
    ["an unknown token", (query) => query.replace(/tokenId=\d+/, "tokenId=999999")],
    ["a tokenId that is not a number", (query) => query.replace(/tokenId=/, "tokenId=x")],
    ["a tokenId with a leading zero", (query) => query.replace(/tokenId=/, "tokenId=0")],
    ["a tokenId with a sign", (query) => query.replace(/tokenId=/, "tokenId=%2B")],
    ["a parameter appended", (query) => `${query}&utm_source=mail`],
    ["a known parameter appended", (query) => `${query}&fullPage=true`],
    ["an empty name appended", (query) => `${query}&=`],
    ["expires appended", (query) => `${query}&expires=${NOW_SECONDS + 60}`],
    ["url twice", (query) => `${query}&url=https%3A%2F%2Fexample.com%2F`],
    ["signature twice", (query) => `${query}&${query.slice(query.indexOf("signature="))}`],
    ["tokenId twice", (query) => `${query}&tokenId=1`],
    ["another url", (query) => query.replace(genuine, "url=https%3A%2F%2Fexample.org%2F")],
    ["no query", () => ""],
  ])("%s", async (_name, forge) => {
    const service = await openService();
    const { tokenId, signingSecret } = await service.customer();
    const reply = await service.send(
      `/v1/snap/signed?${forge(signedQuery({ url, tokenId }, signingSecret))}`,
    );
    expect(codeOf(reply)).toEqual([403, "invalid_signature"]);
    expect(envelopeOf(reply)).toEqual({
      code: "invalid_signature",
      message:
        "The URL is not signed, or the signature does not match; sign all parameters with the signing secret of a valid token.",
      request_id: reply.headers["x-request-id"],
    });
    expect(service.renderer.calls).toHaveLength(0);
  });

  it("a signature made with the bearer token, or with another token's secret", async () => {
    const service = await openService();
    const [owner, other] = [await service.customer(), await service.customer()];
    for (const signingSecret of [owner.token, owner.token.split("|")[1] ?? "", other.signingSecret, ""]) {
      const reply = await sendSigned(service, { tokenId: owner.tokenId, signingSecret });
      expect(codeOf(reply)).toEqual([403, "invalid_signature"]);
    }
  });

  it("a duplicate name, even if both are signed", async () => {
    const service = await openService();
    const { tokenId, signingSecret } = await service.customer();
    const query = new URLSearchParams([
      ["url", url],
      ["url", url],
      ["tokenId", String(tokenId)],
    ]);
    query.append("signature", signQuery(query, signingSecret));
    const reply = await service.send(`/v1/snap/signed?${query.toString()}`);
    expect(codeOf(reply)).toEqual([403, "invalid_signature"]);
  });

  it("a forged URL that has also expired", async () => {
    const service = await openService();
    const { tokenId } = await service.customer();
    const forged = { tokenId, signingSecret: "guess" };
    const reply = await sendSigned(service, forged, { expires: NOW_SECONDS - 1 });
    expect(codeOf(reply)).toEqual([403, "invalid_signature"]);
  });
});

describe("a valid signature gets the same errors as a bearer request", () => {
  it.each<[string, Record<string, string | number>, [number, string], string[] | undefined]>([
    ["quality with png", { quality: 80 }, [422, "validation_failed"], ["quality"]],
    ["an unknown parameter", { fullpage: "true" }, [422, "validation_failed"], ["fullpage"]],
    ["a bad address", { url: "ftp://example.com/" }, [422, "invalid_url"], ["url"]],
    ["a private host", { url: "http://127.0.0.1/" }, [422, "blocked_host"], undefined],
  ])("%s", async (_name, parameters, expected, problems) => {
    const service = await openService();
    const reply = await sendSigned(service, await service.customer(), parameters);
    expect(codeOf(reply)).toEqual(expected);
    expect(envelopeOf(reply).errors && Object.keys(envelopeOf(reply).errors ?? {})).toEqual(problems);
  });

  it("for the token's abilities, the plan and the email address", async () => {
    const service = await openService();
    const narrowed = await service.customer({ abilities: ["pdf"] });
    expect(codeOf(await sendSigned(service, narrowed))).toEqual([403, "missing_ability"]);
    expect((await sendSigned(service, narrowed, { pdf: 1 })).status).toBe(200);
    const unverified = await service.customer({ verified: false });
    expect(codeOf(await sendSigned(service, unverified))).toEqual([403, "email_unverified"]);
    const planless = await service.customer({ planSlug: null });
    expect(codeOf(await sendSigned(service, planless))).toEqual([402, "no_active_plan"]);
  });

  it("for the account's credits and render limit, with Retry-After", async () => {
    const service = await openService();
    const customer = await service.customer({ credits: 2, requestsPerMinute: 3 });
    expect((await service.snap({ url }, { token: customer.token })).status).toBe(200);
    expect((await sendSigned(service, customer, { cache: 0 })).status).toBe(200);
    expect(codeOf(await sendSigned(service, customer, { cache: 0 }))).toEqual([402, "credit_limit_reached"]);
    const limited = await sendSigned(service, customer, { cache: 0 });
    expect(codeOf(limited)).toEqual([429, "rate_limited"]);
    expect(limited.headers["retry-after"]).toBe("60");
    expect((await service.snap({ url }, { token: customer.token })).headers).toMatchObject({
      "x-cache": "HIT",
      "x-credits-remaining": "0",
    });
  });

  it("for the limit of 300 cache hits, shared with the bearer API", async () => {
    const service = await openService();
    const customer = await service.customer();
    expect((await sendSigned(service, customer)).status).toBe(200);
    for (let count = 0; count < 299; count += 1) {
      const reply = await service.snap({ url }, { token: customer.token });
      expect(reply.status).toBe(200);
    }
    expect((await sendSigned(service, customer)).status).toBe(200);
    const refused = await sendSigned(service, customer);
    expect(codeOf(refused)).toEqual([429, "rate_limited"]);
    expect((await service.snap({ url }, { token: customer.token })).status).toBe(429);
  });

  it("for a failed render, which is refunded", async () => {
    const service = await openService();
    const customer = await service.customer({ credits: 1 });
    service.renderer.failNext(new SnapError("render_timeout", "too slow"));
    const failed = await sendSigned(service, customer);
    expect(codeOf(failed)).toEqual([504, "render_timeout"]);
    expect(failed.headers["retry-after"]).toBe("10");
    expect((await sendSigned(service, customer)).status).toBe(200);
  });
});

describe("the log", () => {
  it("contains the account of a signed request, but not its query", async () => {
    const service = await openService();
    const customer = await service.customer();
    await sendSigned(service, customer);
    const line = service.lines.find(({ path }) => path === "/v1/snap/signed");
    expect(line).toMatchObject({ status: 200, account: customer.id, cache: "miss" });
    expect(JSON.stringify(service.lines)).not.toContain("signature=");
  });
});
