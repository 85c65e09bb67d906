import { createFakeClock, createFakeRenderer, type FakeClock, type FakeRenderer } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import type { EngineOptions } from "../../src/engine-options.ts";
import { SnapError } from "../../src/errors.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import type { QuarantinedAccount } from "../../src/schedule/render.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const PAGE_ENDED = new SnapError("upstream_error", "The page used too much memory.", { pageEnded: true });

let clock: FakeClock;
let renderer: FakeRenderer;
let quarantined: QuarantinedAccount[];

beforeEach(() => {
  clock = createFakeClock(START_MS);
  renderer = createFakeRenderer();
  quarantined = [];
});

function open(options: Partial<EngineOptions> = {}): Engine {
  return openTestEngine({
    renderer,
    clock,
    onQuarantined: (account) => quarantined.push(account),
    ...options,
  });
}

const customer = (engine: Engine): Promise<Principal> =>
  createPrincipal(engine, { email: `${crypto.randomUUID()}@example.com` });

function capture(engine: Engine, principal: Principal): Promise<unknown> {
  const parameters = { url: `https://example.com/${crypto.randomUUID()}` };
  return engine.capture({ principal, parameters });
}

describe("an account whose page was ended", () => {
  it("is refunded, and renders in an isolated browser for ten minutes", async () => {
    const engine = open();
    const [hostile, neighbor] = [await customer(engine), await customer(engine)];
    const accountId = hostile.account.id;
    renderer.failNext(PAGE_ENDED);
    await expect(capture(engine, hostile)).rejects.toMatchObject({ code: "upstream_error" });
    expect((await engine.credits(hostile.account)).used).toBe(0);
    expect(quarantined).toEqual([
      { accountId, reason: "The page used too much memory.", endsAt: START_MS + 600_000 },
    ]);
    expect(engine.load().quarantined).toEqual({ accounts: 1, waiting: 0 });
    clock.advance(599_999);
    await capture(engine, hostile);
    await capture(engine, neighbor);
    clock.advance(1);
    await capture(engine, hostile);
    expect(renderer.options).toEqual([
      { isolationKey: accountId, isIsolated: false },
      { isolationKey: accountId, isIsolated: true },
      { isolationKey: neighbor.account.id, isIsolated: false },
      { isolationKey: accountId, isIsolated: false },
    ]);
    expect(engine.load().quarantined.accounts).toBe(0);
  });

  it("renders one page at a time", async () => {
    const engine = open();
    const [hostile, neighbor] = [await customer(engine), await customer(engine)];
    renderer.failNext(PAGE_ENDED);
    await expect(capture(engine, hostile)).rejects.toMatchObject({ code: "upstream_error" });
    const release = renderer.hold();
    const captures = [capture(engine, hostile), capture(engine, hostile), capture(engine, neighbor)];
    await renderer.whenCalled(3);
    expect(engine.load()).toMatchObject({ running: 2, waiting: 1 });
    expect(renderer.options.slice(1).map(({ isolationKey }) => isolationKey)).toEqual([
      hostile.account.id,
      neighbor.account.id,
    ]);
    release();
    await Promise.all(captures);
  });
});

describe("an account whose render failed", () => {
  it.each([
    ["a timeout", new SnapError("render_timeout", "The render took too long.")],
    ["a lost browser", new SnapError("upstream_error", "The browser failed while rendering the page.")],
  ])("is not quarantined after %s", async (_name, error) => {
    const engine = open();
    const principal = await customer(engine);
    renderer.failNext(error);
    await expect(capture(engine, principal)).rejects.toMatchObject({ code: error.code });
    await capture(engine, principal);
    expect(renderer.options.map(({ isIsolated }) => isIsolated)).toEqual([false, false]);
    expect(quarantined).toEqual([]);
  });
});

describe("an engine that isolates accounts", () => {
  it("renders each account's pages in its own isolated browser, several at the same time", async () => {
    const engine = open({ isolation: "account" });
    const [first, second] = [await customer(engine), await customer(engine)];
    const release = renderer.hold();
    const captures = [capture(engine, first), capture(engine, first), capture(engine, second)];
    await renderer.whenCalled(3);
    expect(renderer.options.map(({ isIsolated }) => isIsolated)).toEqual([true, true, true]);
    expect(new Set(renderer.options.map(({ isolationKey }) => isolationKey))).toEqual(
      new Set([first.account.id, second.account.id]),
    );
    release();
    await Promise.all(captures);
  });
});
