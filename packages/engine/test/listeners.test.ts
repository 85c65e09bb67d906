import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../src/engine-options.ts";
import { createPrincipal, openTestEngine } from "./open-test-engine.ts";

const fail = (message: string) => (): never => {
  throw new Error(message);
};

/** Renders a page for a new account; returns the credits used. */
async function renderOnce(listeners: Partial<EngineOptions>): Promise<number> {
  const engine = openTestEngine(listeners);
  const principal = await createPrincipal(engine);
  const { cache } = await engine.capture({ principal, parameters: { url: "https://example.com/" } });
  expect(cache).toBe("miss");
  const { used } = await engine.credits(principal.account);
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

  it("is handled in the same way if it is asynchronous and rejects", async () => {
    const errors: unknown[] = [];
    const onBackgroundError = (error: unknown): void => void errors.push(error);
    const onEvent = async (): Promise<never> => fail("the metrics are late")();
    const listeners = { onEvent, onBackgroundError };
    expect(await renderOnce(listeners)).toBe(1);
    expect(new Set(errors.map(String))).toEqual(new Set(["Error: the metrics are late"]));
  });

  it("causes a process warning if it is the one for background errors", async () => {
    const warned = once(process, "warning");
    const listeners = { onEvent: fail("the metrics are gone"), onBackgroundError: fail("so is the log") };
    expect(await renderOnce(listeners)).toBe(1);
    expect(await warned).toMatchObject([{ message: "so is the log" }]);
  });
});
