import { createFakeRandom, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { signQuery, type Engine, type Storage } from "../../src/index.ts";
import { openTestEngine } from "../open-test-engine.ts";

const EMAIL = "previews@example.com";
const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER = "fedcba9876543210fedcba9876543210";

let storage: Storage;
let engine: Engine;
const open = (seed: number, secretKey = "a key for these tests"): Engine =>
  openTestEngine({ storage, secretKey, random: createFakeRandom(seed) });
beforeEach(() => {
  storage = createMemoryStorage();
  engine = open(1);
});

const codeOf = (token: string): Promise<string> =>
  engine.authenticate(token).then(
    () => "ok",
    (error: { code: string }) => error.code,
  );

describe("accounts.ensure", () => {
  it("creates a verified account without limits, and a token that renders", async () => {
    const { account, token, change } = await engine.accounts.ensure({ email: EMAIL });
    expect(change).toBe("created");
    expect(account).toMatchObject({
      email: EMAIL,
      planSlug: "unlimited",
      emailVerifiedAt: expect.any(Number),
    });
    const principal = await engine.authenticate(token);
    const { creditCost } = await engine.capture({ principal, parameters: { url: "https://example.com/" } });
    expect(creditCost).toBe(1);
    expect(await engine.usage(principal)).toMatchObject({
      credits: { remaining: 999_999_999, used: 1, total: 1_000_000_000 },
      plan: { name: "Unlimited", slug: "unlimited" },
      rate_limit: { requests_per_minute: 1_000_000, cached_requests_per_minute: 300 },
    });
  });

  it("returns the same token at every start, and a different one for a different key", async () => {
    const first = await engine.accounts.ensure({ email: EMAIL });
    const second = await open(2).accounts.ensure({ email: EMAIL.toUpperCase() });
    expect(second).toEqual({ ...first, change: "none" });
    expect(first.token).toMatch(/^1\|[0-9a-f]{64}$/);
    storage = createMemoryStorage();
    const other = await open(3, "another key for these tests").accounts.ensure({ email: EMAIL });
    expect(other.token).not.toBe(first.token);
  });

  it("creates one account and one token for concurrent starts", async () => {
    const engines = Array.from({ length: 20 }, (_, index) => open(index + 10));
    const results = await Promise.all(
      engines.map(({ accounts }) => accounts.ensure({ email: EMAIL, token: SECRET })),
    );
    expect(new Set(results.map(({ token }) => token))).toEqual(new Set([`1|${SECRET}`]));
    expect(new Set(results.map(({ signingSecret }) => signingSecret)).size).toBe(1);
    expect(results.filter(({ change }) => change === "created")).toHaveLength(1);
    expect(await engine.accounts.list()).toHaveLength(1);
  });

  it("accepts a secret that the caller chose, with or without the id", async () => {
    const { account, token } = await engine.accounts.ensure({ email: EMAIL, token: SECRET });
    expect(token).toBe(`1|${SECRET}`);
    for (const text of [SECRET, token]) expect((await engine.authenticate(text)).account).toEqual(account);
    expect(await codeOf(`2|${SECRET}`)).toBe("unauthenticated");
    // only an engine that was given the secret knows its id
    await expect(open(2).authenticate(SECRET)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("invalidates the previous credentials when the secret changes", async () => {
    const { signingSecret, ...first } = await engine.accounts.ensure({ email: EMAIL, token: SECRET });
    const query = new URLSearchParams({ url: "https://example.com/", tokenId: String(first.record.id) });
    query.set("signature", signQuery(query, signingSecret));
    await engine.authenticateSigned(query);
    const second = await engine.accounts.ensure({ email: EMAIL, token: OTHER });
    expect(second).toMatchObject({ token: `1|${OTHER}`, change: "rotated" });
    for (const text of [SECRET, first.token]) expect(await codeOf(text)).toBe("unauthenticated");
    await expect(engine.authenticateSigned(query)).rejects.toMatchObject({ code: "invalid_signature" });
    expect(await codeOf(OTHER)).toBe("ok");
  });

  it("rejects if the secret key cannot decrypt the signing secret", async () => {
    const { record } = await engine.accounts.ensure({ email: EMAIL, token: SECRET });
    // the key decrypts the newest secret, but not this one
    await engine.accounts.ensure({ email: EMAIL, tokenName: "newer" });
    const current = record.sealedSigningSecret;
    await storage.tokens.replaceSigningSecret(record.id, { current, next: "00".repeat(40) });
    await expect(engine.accounts.ensure({ email: EMAIL, token: SECRET })).rejects.toMatchObject({
      name: "AdminError",
      message: "the secret key cannot decrypt the signing secret of token 1",
    });
  });

  it("does not accept a revoked token without its id", async () => {
    const { record } = await engine.accounts.ensure({ email: EMAIL, token: SECRET });
    await engine.tokens.revoke(record.id);
    expect(await codeOf(SECRET)).toBe("unauthenticated");
  });

  it("verifies an existing account, and keeps its plan", async () => {
    const { id } = await engine.accounts.create({ email: EMAIL, planSlug: "starter", verified: false });
    const { account } = await engine.accounts.ensure({ email: EMAIL });
    expect(account).toMatchObject({ id, planSlug: "starter", emailVerifiedAt: expect.any(Number) });
  });

  it("creates the account with the given plan", async () => {
    const { account } = await engine.accounts.ensure({ email: EMAIL, planSlug: "scale", tokenName: "shop" });
    expect(account.planSlug).toBe("scale");
    expect(await engine.tokens.list(account.id)).toMatchObject([{ name: "shop" }]);
  });

  it.each(["", "short", "x".repeat(31), "x".repeat(129), `${SECRET} `, `1|${SECRET}`, `${SECRET}é`])(
    "rejects the secret %j, and creates nothing",
    async (token) => {
      const attempt = engine.accounts.ensure({ email: EMAIL, token });
      await expect(attempt).rejects.toMatchObject({ name: "AdminError", code: "invalid_value" });
      expect(await engine.accounts.list()).toEqual([]);
    },
  );
});
