import { once } from "node:events";
import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
} from "@snap/testing";
import { describe, expect, it } from "vitest";
import { createEngine, type Engine } from "../src/create-engine.ts";
import type { EngineOptions } from "../src/engine-options.ts";

const fail = (message: string) => (): never => {
  throw new Error(message);
};

/** Renders a page for a new account; returns the credits used. */
async function renderOnce(listeners: Partial<EngineOptions>): Promise<number> {
  const engine: Engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
    clock: createFakeClock(Date.parse("2026-03-01T12:00:00Z")),
    random: createFakeRandom(1),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    ...listeners,
  });
  const account = await engine.accounts.create({ email: "a@b.org", planSlug: "starter", verified: true });
  const { token } = await engine.tokens.create({ accountId: account.id });
  const principal = await engine.authenticate(token);
  const { cache } = await engine.capture({ principal, parameters: { url: "https://example.com/" } });
  expect(cache).toBe("miss");
  const { used } = await engine.credits(account);
  await engine.close();
  return used;
}

describe("a listener that throws", () => {
  it("changes neither the rendering nor its charge, and is reported as a background error", async () => {
    const errors: unknown[] = [];
    const onBackgroundError = (error: unknown): void => void errors.push(error);
    expect(await renderOnce({ onEvent: fail("the metrics are gone"), onBackgroundError })).toBe(1);
    expect(new Set(errors.map(String))).toEqual(new Set(["Error: the metrics are gone"]));
  });

  it("causes a process warning if it is the one for background errors", async () => {
    const warned = once(process, "warning");
    const listeners = { onEvent: fail("the metrics are gone"), onBackgroundError: fail("so is the log") };
    expect(await renderOnce(listeners)).toBe(1);
    expect(await warned).toMatchObject([{ message: "so is the log" }]);
  });
});
