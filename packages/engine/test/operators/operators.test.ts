import { createFakeClock, createMemoryStorage, type FakeClock } from "@snap/testing";
import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { createOperators, type Operators } from "../../src/operators/operators.ts";
import { systemRandom } from "../../src/ports/random.ts";
import type { SignInStore } from "../../src/ports/sign-ins.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function open(): { readonly operators: Operators; readonly store: SignInStore; readonly clock: FakeClock } {
  const clock = createFakeClock(NOON);
  const store = createMemoryStorage().signIns;
  return { operators: createOperators({ store, clock, random: systemRandom }), store, clock };
}

describe("a sign-in link", () => {
  it("starts one twelve-hour session", async () => {
    const { operators, clock } = open();
    const { code, expiresAt } = await operators.createLink();
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(expiresAt).toBe(NOON + 10 * MINUTE_MS);
    clock.advance(10 * MINUTE_MS - 1);
    const signedIn = await operators.signIn(code);
    const endsAt = clock.now() + 12 * HOUR_MS;
    expect(signedIn).toEqual({ session: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), expiresAt: endsAt });
    expect(await operators.signIn(code)).toBeNull();
    const session = signedIn?.session ?? "";
    expect(await operators.findSession(session)).toBe(endsAt);
    clock.advance(12 * HOUR_MS - 1);
    expect(await operators.findSession(session)).toBe(endsAt);
    clock.advance(1);
    expect(await operators.findSession(session)).toBeNull();
  });

  it("works once even if used twice concurrently, and expires after ten minutes", async () => {
    const { operators, clock } = open();
    const { code } = await operators.createLink();
    const results = await Promise.all([operators.signIn(code), operators.signIn(code)]);
    expect(results.filter((result) => result !== null)).toHaveLength(1);
    const late = await operators.createLink();
    clock.advance(10 * MINUTE_MS);
    expect(await operators.signIn(late.code)).toBeNull();
  });

  it("cannot be used as a session, nor a session as a link; other text works as neither", async () => {
    const { operators } = open();
    const { code } = await operators.createLink();
    expect(await operators.findSession(code)).toBeNull();
    const session = (await operators.signIn(code))?.session ?? "";
    expect(await operators.signIn(session)).toBeNull();
    for (const text of ["", "x".repeat(43), "x".repeat(10_000)]) {
      expect(await operators.signIn(text)).toBeNull();
      expect(await operators.findSession(text)).toBeNull();
    }
  });

  it("is stored only as its SHA-256 hash", async () => {
    const { operators, store } = open();
    const insert = vi.spyOn(store, "insert");
    const { code } = await operators.createLink();
    const hash = createHash("sha256").update(code).digest("hex");
    expect(insert.mock.calls).toEqual([[{ kind: "link", hash, expiresAt: NOON + 10 * MINUTE_MS }]]);
  });
});

describe("signing out", () => {
  it("ends one session; signing out everywhere ends all sessions and links", async () => {
    const { operators } = open();
    const start = async (): Promise<string> => {
      const { code } = await operators.createLink();
      return (await operators.signIn(code))?.session ?? "";
    };
    const [one, other] = [await start(), await start()];
    await operators.signOut(one);
    await operators.signOut("unknown");
    expect(await operators.findSession(one)).toBeNull();
    expect(await operators.findSession(other)).not.toBeNull();
    const { code } = await operators.createLink();
    expect(await operators.signOutAll()).toBe(2);
    expect(await operators.findSession(other)).toBeNull();
    expect(await operators.signIn(code)).toBeNull();
  });
});
