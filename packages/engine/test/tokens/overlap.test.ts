import { createFakeClock, type FakeClock } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { signQuery, type Engine, type MintedToken } from "../../src/index.ts";
import { openTestEngine } from "../open-test-engine.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clock: FakeClock;
let engine: Engine;
let first: MintedToken;
beforeEach(async () => {
  clock = createFakeClock(Date.parse("2026-03-01T12:34:56Z"));
  engine = openTestEngine({ clock });
  const { id: accountId } = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: null,
    verified: true,
  });
  first = await engine.tokens.create({ accountId, name: "the shop" });
});

const id = (): number => first.record.id;

/** Returns whether each of the two secrets works. */
async function works({
  token,
  signingSecret,
}: MintedToken): Promise<readonly [bearer: boolean, signed: boolean]> {
  const query = new URLSearchParams({ url: "https://example.com/", tokenId: String(id()) });
  query.set("signature", signQuery(query, signingSecret));
  const bearer = engine.authenticate(token).then(
    () => true,
    () => false,
  );
  const signed = engine.authenticateSigned(query).then(
    () => true,
    () => false,
  );
  return [await bearer, await signed];
}

describe("a rotation", () => {
  it("ends both old secrets immediately without an overlap", async () => {
    const second = await engine.tokens.rotate(id());
    expect([await works(first), await works(second)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it("leaves both old secrets valid until the overlap ends", async () => {
    const second = await engine.tokens.rotate(id(), { overlapMs: DAY_MS });
    expect(second.record).toMatchObject({ id: id(), name: "the shop" });
    expect([await works(first), await works(second)]).toEqual([
      [true, true],
      [true, true],
    ]);
    clock.advance(DAY_MS - 1);
    expect(await works(first)).toEqual([true, true]);
    clock.advance(1);
    expect([await works(first), await works(second)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it("is rejected if it has an overlap and an earlier rotation's overlap has not ended", async () => {
    const second = await engine.tokens.rotate(id(), { overlapMs: DAY_MS });
    clock.advance(DAY_MS - 1);
    await expect(engine.tokens.rotate(id(), { overlapMs: HOUR_MS })).rejects.toMatchObject({
      name: "AdminError",
      code: "refused",
      message: "token 1's previous secrets still work until 2026-03-02T12:34:56.000Z",
      advice: "wait until then, or rotate without --overlap, which ends all earlier secrets immediately",
    });
    expect([await works(first), await works(second)]).toEqual([
      [true, true],
      [true, true],
    ]);
    clock.advance(1);
    const third = await engine.tokens.rotate(id(), { overlapMs: HOUR_MS });
    expect([await works(first), await works(second), await works(third)]).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
  });

  it("ends an earlier rotation's overlap if it has none itself", async () => {
    const second = await engine.tokens.rotate(id(), { overlapMs: DAY_MS });
    const third = await engine.tokens.rotate(id());
    expect([await works(first), await works(second), await works(third)]).toEqual([
      [false, false],
      [false, false],
      [true, true],
    ]);
  });

  it("never extends the life of a token", async () => {
    const expiresAt = clock.now() + HOUR_MS;
    const { accountId } = first.record;
    const expiring = await engine.tokens.create({ accountId, expiresAt });
    await engine.tokens.rotate(expiring.record.id, { overlapMs: DAY_MS });
    await engine.authenticate(expiring.token);
    clock.advance(HOUR_MS);
    await expect(engine.authenticate(expiring.token)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("lets the service tell which secret a caller used", async () => {
    const second = await engine.tokens.rotate(id(), { overlapMs: DAY_MS });
    expect((await engine.authenticate(first.token)).usesPrevious).toBe(true);
    expect(await engine.authenticate(second.token)).not.toHaveProperty("usesPrevious");
  });

  it("has an overlap of at most 30 days", async () => {
    for (const overlapMs of [30 * DAY_MS + 1, -1, 0.5, Number.NaN])
      await expect(engine.tokens.rotate(id(), { overlapMs })).rejects.toThrow("must be from 0 to 30 days");
    expect(await works(first)).toEqual([true, true]);
    await engine.tokens.rotate(id(), { overlapMs: 30 * DAY_MS });
  });
});

describe("a token name", () => {
  it.each(["", " ", "a".repeat(101), "a\nb", "a\u001b[2J", "a\u200bb"])("is rejected: %j", async (name) => {
    const { accountId } = first.record;
    await expect(engine.tokens.create({ accountId, name })).rejects.toThrow("a token name must have");
  });

  it("can have up to 100 characters", async () => {
    const name = "🔑".repeat(100);
    const { record } = await engine.tokens.create({ accountId: first.record.accountId, name });
    expect((await engine.tokens.get(record.id)).name).toBe(name);
  });
});
