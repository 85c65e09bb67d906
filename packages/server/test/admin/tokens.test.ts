import { describe, expect, it } from "vitest";
import { envelopeOf, jsonOf } from "../http/open-service.ts";
import { openAdmin } from "./open-admin.ts";

const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const SECRET = expect.stringMatching(/^[0-9A-Za-z]{40,}$/) as string;

const INVALID_NAME = "must be a string of 1 to 100 characters, none of them invisible";

interface MintedToken {
  readonly id: number;
  readonly token: string;
  readonly signing_secret: string;
}

describe("tokens", () => {
  it("are created with 201, and returned with their secrets", async () => {
    const service = await openAdmin();
    const { id: account } = await service.customer();
    const reply = await service.admin("/tokens", {
      method: "POST",
      json: { account_id: account, name: "the shop", abilities: ["pdf"], expires_in_seconds: 3600 },
    });
    expect(reply.status).toBe(201);
    const token = jsonOf(reply) as MintedToken & { expires_at: string };
    expect(token).toEqual({
      id: 2,
      account_id: account,
      name: "the shop",
      abilities: ["pdf"],
      created_at: DATE_TIME,
      expires_at: DATE_TIME,
      rotated_at: null,
      overlap_ends_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^2\|[0-9A-Za-z]{40,}$/),
      signing_secret: SECRET,
    });
    expect((await service.send("/v1/usage", { token: token.token })).status).toBe(200);
  });

  it("can have a name of 100 emoji, each counted as one character", async () => {
    const service = await openAdmin();
    const { id: account } = await service.customer();
    const json = { account_id: account, name: "🛒".repeat(100) };
    const reply = await service.admin("/tokens", { method: "POST", json });
    expect(reply.status).toBe(201);
  });

  it("are shown and listed without their secrets", async () => {
    const service = await openAdmin();
    const { id: account, token, signingSecret } = await service.customer();
    const mint = { account_id: account };
    await service.read("/tokens", { method: "POST", json: mint });
    const one = await service.admin("/tokens/1");
    const list = await service.admin(`/tokens?account=${account}&limit=1`);
    expect(jsonOf(one)).toMatchObject({ id: 1, account_id: account, name: null });
    expect(jsonOf(list)).toEqual({ entries: [jsonOf(one)], has_more: true, more: 1 });
    const next = await service.read(`/tokens?account=${account}&after=1`);
    expect(next).toMatchObject({ entries: [{ id: 2 }], has_more: false, more: 0 });
    for (const { body } of [one, list])
      for (const secret of [token.split("|")[1] ?? "", signingSecret])
        expect(body.includes(secret)).toBe(false);
  });

  it("are rotated, with an overlap on request", async () => {
    const service = await openAdmin();
    await service.customer();
    const json = { overlap_seconds: 60 };
    const rotated = (await service.read("/tokens/1/rotate", { method: "POST", json })) as MintedToken & {
      rotated_at: string;
      overlap_ends_at: string;
    };
    expect(rotated).toMatchObject({ id: 1, rotated_at: DATE_TIME, overlap_ends_at: DATE_TIME });
    expect(Date.parse(rotated.overlap_ends_at) - Date.parse(rotated.rotated_at)).toBe(60_000);
    const again = await service.admin("/tokens/1/rotate", { method: "POST", json });
    expect(again.status).toBe(422);
    expect(envelopeOf(again)).toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/^Token 1's previous secrets still work until .*Z\.$/),
    });
    const last = (await service.read("/tokens/1/rotate", { method: "POST" })) as MintedToken;
    expect(last).toMatchObject({ id: 1, overlap_ends_at: null });
    expect((await service.send("/v1/usage", { token: last.token })).status).toBe(200);
  });

  it("show their signing secret on request", async () => {
    const service = await openAdmin();
    const { id: account, signingSecret } = await service.customer();
    const reply = await service.admin("/tokens/1/reveal", { method: "POST" });
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(jsonOf(reply)).toMatchObject({ id: 1, account_id: account, signing_secret: signingSecret });
    expect((await service.admin("/tokens/1/reveal")).status).toBe(405);
  });

  it("are revoked one by one, or all at once for an account", async () => {
    const service = await openAdmin();
    const { id: account, token } = await service.customer();
    const other = await service.customer();
    for (let count = 0; count < 2; count += 1)
      await service.read("/tokens", { method: "POST", json: { account_id: account } });
    expect(await service.read("/tokens/1", { method: "DELETE" })).toEqual({ id: 1, revoked: true });
    expect((await service.send("/v1/usage", { token })).status).toBe(401);
    expect(await service.read(`/tokens?account=${account}`, { method: "DELETE" })).toEqual({
      ids: [3, 4],
      revoked: true,
    });
    expect(await service.read(`/tokens?account=${account}`)).toMatchObject({ entries: [] });
    expect((await service.send("/v1/usage", { token: other.token })).status).toBe(200);
  });

  it.each<[object, Record<string, string[]>]>([
    [{}, { account_id: ["is required"] }],
    [{ name: "the\u202Eshop" }, { name: [INVALID_NAME] }],
    [{ name: "" }, { name: [INVALID_NAME] }],
    [{ name: "a\nb" }, { name: [INVALID_NAME] }],
    [{ name: "🛒".repeat(101) }, { name: [INVALID_NAME] }],
    [{ abilities: "pdf" }, { abilities: ["must be an array of screenshot, pdf or both"] }],
    [{ abilities: [] }, { abilities: ["must contain screenshot, pdf or both"] }],
    [{ abilities: ["admin"] }, { abilities: ["must be one of screenshot, pdf"] }],
    [{ expires_in_seconds: 0 }, { expires_in_seconds: ["must be an integer from 1 to 315360000"] }],
    [{ expires_in: 60 }, { expires_in: ["is not a parameter; did you mean expires_in_seconds?"] }],
  ])("are not created from %j", async (token, errors) => {
    const service = await openAdmin();
    const { id: account } = await service.customer();
    const json = errors["account_id"] === undefined ? { account_id: account, ...token } : token;
    const reply = await service.admin("/tokens", { method: "POST", json });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual(errors);
  });

  it("return 404 if they do not exist", async () => {
    const { admin } = await openAdmin();
    for (const [method, path] of [
      ["GET", "/tokens/7"],
      ["GET", "/tokens/x"],
      ["GET", "/tokens/0"],
      ["GET", "/tokens/1e3"],
      ["DELETE", "/tokens/7"],
      ["POST", "/tokens/7/rotate"],
      ["POST", "/tokens/7/reveal"],
    ] as const) {
      const reply = await admin(path, { method });
      expect([path, reply.status]).toEqual([path, 404]);
      expect(envelopeOf(reply)).toMatchObject({
        code: "not_found",
        message: "Token not found: the id is unknown, or the token was revoked.",
      });
    }
  });
});
