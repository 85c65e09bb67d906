import {
  createFakeClock,
  createFakeMachine,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
} from "@snap/testing";
import { createEngine, type Engine } from "../src/create-engine.ts";
import type { EngineOptions } from "../src/engine-options.ts";
import type { Principal } from "../src/ports/tokens.ts";

/** Opens an engine with storage in memory and fakes, at noon on 2026-03-01; only `example.com` resolves. */
export function openTestEngine(options: Partial<EngineOptions> = {}): Engine {
  return createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
    clock: createFakeClock(Date.parse("2026-03-01T12:00:00Z")),
    machine: createFakeMachine(),
    random: createFakeRandom(1),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    ...options,
  });
}

/** Creates an account, by default a verified one with a plan, and a token; returns the token's principal. */
export async function createPrincipal(
  engine: Engine,
  account: Partial<Parameters<Engine["accounts"]["create"]>[0]> = {},
): Promise<Principal> {
  const { id: accountId } = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    verified: true,
    ...account,
  });
  return engine.authenticate((await engine.tokens.create({ accountId })).token);
}
