import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { expect, it, vi, type Mock } from "vitest";
import { type Engine } from "../../src/index.ts";
import type { TokenStore } from "../../src/ports/tokens.ts";
import { openTestEngine } from "../open-test-engine.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
/** Delay between a token's use and its write. */
const WRITE_DELAY_MS = 10_000;

async function open(recordUse?: TokenStore["recordUse"]): Promise<{
  readonly engine: Engine;
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly find: Mock<TokenStore["find"]>;
  readonly record: Mock<TokenStore["recordUse"]>;
  readonly errors: readonly unknown[];
  readonly token: string;
  readonly lastUsedAt: () => Promise<number | null>;
}> {
  const storage = createMemoryStorage();
  const clock = createFakeClock(NOON + 34 * 60_000);
  const errors: unknown[] = [];
  const find = vi.fn<TokenStore["find"]>(storage.tokens.find);
  const record = vi.fn<TokenStore["recordUse"]>(recordUse ?? storage.tokens.recordUse);
  const engine = openTestEngine({
    storage: { ...storage, tokens: { ...storage.tokens, find, recordUse: record } },
    clock,
    onBackgroundError: (error) => errors.push(error),
  });
  const { id: accountId } = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: null,
    verified: true,
  });
  const { token, record: created } = await engine.tokens.create({ accountId });
  const lastUsedAt = async (): Promise<number | null> => (await engine.tokens.get(created.id)).lastUsedAt;
  return { engine, clock, find, record, errors, token, lastUsedAt };
}

it("a token's use is recorded once an hour, in the background, without another read", async () => {
  const { engine, clock, find, record, token, lastUsedAt } = await open();
  for (let request = 0; request < 5; request += 1) await engine.authenticate(token);
  expect(record).not.toHaveBeenCalled();
  clock.advance(WRITE_DELAY_MS);
  await expect.poll(() => record).toHaveBeenCalledTimes(1);
  expect(find).toHaveBeenCalledTimes(5);
  await expect.poll(lastUsedAt).toBe(NOON + 34 * 60_000);
  for (const minute of [35, 45, 59]) {
    clock.advance(NOON + minute * 60_000 - clock.now());
    await engine.authenticate(token);
  }
  clock.advance(WRITE_DELAY_MS);
  expect(record).toHaveBeenCalledTimes(1);
  clock.advance(NOON + HOUR_MS - clock.now());
  await engine.authenticate(token);
  clock.advance(WRITE_DELAY_MS);
  await expect.poll(lastUsedAt).toBe(NOON + HOUR_MS);
  expect(record).toHaveBeenCalledTimes(2);
});

it("a failed write of a token's use neither delays nor fails requests; a later use is written", async () => {
  const { promise: hangs, reject } = Promise.withResolvers<void>();
  const { engine, clock, record, errors, token } = await open(() => hangs);
  await engine.authenticate(token);
  clock.advance(WRITE_DELAY_MS);
  expect(record).toHaveBeenCalledTimes(1);
  await engine.authenticate(token);
  reject(new Error("the disk is full"));
  await expect.poll(() => errors).toEqual([new Error("the disk is full")]);
  clock.advance(WRITE_DELAY_MS);
  expect(record).toHaveBeenCalledTimes(2);
});

it("pending uses of tokens are written when the engine closes; a rejected request has none", async () => {
  const { engine, record, token } = await open();
  await expect(engine.authenticate(`${token}x`)).rejects.toMatchObject({ code: "unauthenticated" });
  await engine.close();
  expect(record).not.toHaveBeenCalled();
  const other = await open();
  await other.engine.authenticate(other.token);
  await other.engine.close();
  expect(other.record).toHaveBeenCalledWith({ id: 1, usedAt: NOON + 34 * 60_000 });
});
