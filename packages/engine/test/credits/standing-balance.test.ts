import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import type { Account } from "../../src/ports/accounts.ts";
import type { Ledger } from "../../src/ports/ledger.ts";
import { openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const NEXT_MONTH_MS = Date.parse("2026-04-01T12:00:00Z");
const url = "https://93.184.215.14/";

let clock: ReturnType<typeof createFakeClock>;
let ledger: Ledger;
let engine: Engine;
let account: Account;
let token: string;

beforeEach(async () => {
  clock = createFakeClock(START_MS);
  const storage = createMemoryStorage();
  ({ ledger } = storage);
  engine = openTestEngine({ storage, clock });
  account = await engine.accounts.create({ email: "a@example.com", planSlug: "starter", verified: true });
  ({ token } = await engine.tokens.create({ accountId: account.id }));
});

/** Reads the credits with a principal's balance; counts the ledger reads. */
async function readWithPrincipal(): Promise<{ remaining: number; ledgerReads: number }> {
  const principal = await engine.authenticate(token);
  const balance = vi.spyOn(ledger, "balance");
  const { remaining } = await engine.credits(principal.account, principal.balance);
  const ledgerReads = balance.mock.calls.length;
  balance.mockRestore();
  return { remaining, ledgerReads };
}

describe("a principal's balance", () => {
  it("replaces a ledger read once the ledger has opened the period", async () => {
    expect(await readWithPrincipal()).toEqual({ remaining: 1000, ledgerReads: 1 });
    expect(await readWithPrincipal()).toEqual({ remaining: 1000, ledgerReads: 0 });
  });

  it("includes the last render", async () => {
    await engine.capture({ principal: await engine.authenticate(token), parameters: { url } });
    expect(await readWithPrincipal()).toEqual({ remaining: 999, ledgerReads: 0 });
  });

  it("is out of date in another period", async () => {
    await engine.capture({ principal: await engine.authenticate(token), parameters: { url } });
    clock.advance(NEXT_MONTH_MS - START_MS);
    expect(await readWithPrincipal()).toEqual({ remaining: 1000, ledgerReads: 1 });
    expect(await readWithPrincipal()).toEqual({ remaining: 1000, ledgerReads: 0 });
  });

  it("is out of date after the grant changes", async () => {
    await readWithPrincipal();
    await engine.accounts.update(account.id, { creditsPerPeriod: 7 });
    expect(await readWithPrincipal()).toEqual({ remaining: 7, ledgerReads: 1 });
  });

  it("is out of date once a reservation has lapsed", async () => {
    await readWithPrincipal();
    const period = { startedAt: START_MS, resetsAt: NEXT_MONTH_MS };
    const reservation = { accountId: account.id, period, granted: 1000, reservationId: "lost" };
    await ledger.reserve({ ...reservation, now: START_MS, lapsesAt: START_MS + 60_000 });
    expect(await readWithPrincipal()).toEqual({ remaining: 999, ledgerReads: 0 });
    clock.advance(60_000);
    expect(await readWithPrincipal()).toEqual({ remaining: 1000, ledgerReads: 1 });
  });
});

describe("a capture", () => {
  it("returns the balance after its reservation, or null if it joined another render", async () => {
    const principal = await engine.authenticate(token);
    const capture = (page = url) => engine.capture({ principal, parameters: { url: page } });
    const [first, joined] = await Promise.all([capture(), capture()]);
    expect(first).toMatchObject({ cache: "miss", balance: { granted: 1000, used: 0, reserved: 1 } });
    expect(joined).toMatchObject({ cache: "hit", balance: null });
    const later = await engine.authenticate(token);
    expect(later.balance).toMatchObject({ granted: 1000, used: 1, reserved: 0 });
    const hit = await engine.capture({ principal: later, parameters: { url } });
    expect(hit).toMatchObject({ cache: "hit", balance: later.balance });
  });

  it("returns a balance that agrees with the ledger on the remaining credits", async () => {
    const principal = await engine.authenticate(token);
    const { balance } = await engine.capture({ principal, parameters: { url } });
    expect((await engine.credits(account, balance)).remaining).toBe(999);
    expect((await engine.credits(account)).remaining).toBe(999);
  });
});
