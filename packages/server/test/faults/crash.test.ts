import { createEngine, type Account, type Capture, type Engine } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeClock, createFakeRenderer, createFakeResolver } from "@snap/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
/** With a store, 165 s by default. */
const LEASE_MS = 165_000;
const CHILD_SCRIPT = fileURLToPath(new URL("crash-child.ts", import.meta.url));

async function openEngine(directory: string, nowMs: number): Promise<Engine> {
  return createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: createFakeRenderer(),
    secretKey: "a key for this test",
    clock: createFakeClock(nowMs),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
  });
}

/**
 * Runs the child until it kills itself before `step`. Returns the names of the steps, of which
 * `step` is the last.
 */
async function crashBefore(step: number, directory: string, token: string): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD_SCRIPT, directory, String(START_MS), token, String(step)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  return printed.trim().split("\n");
}

async function credits(engine: Engine, account: Account): Promise<{ remaining: number; used: number }> {
  const { remaining, used } = await engine.credits(account);
  return { remaining, used };
}

describe("kill -9 between the steps of capture()", () => {
  // Credits right after the crash and after the lease expires, and the cache result of a retry.
  it.each<
    [
      number,
      string,
      { remaining: number; used: number },
      { remaining: number; used: number },
      Capture["cache"],
    ]
  >([
    [0, "renderings.get", { remaining: 10, used: 0 }, { remaining: 10, used: 0 }, "miss"],
    [1, "rateLimiter.consume", { remaining: 10, used: 0 }, { remaining: 10, used: 0 }, "miss"],
    [2, "ledger.reserve", { remaining: 10, used: 0 }, { remaining: 10, used: 0 }, "miss"],
    [3, "renderer.render", { remaining: 9, used: 0 }, { remaining: 10, used: 0 }, "miss"],
    [4, "store.put", { remaining: 9, used: 0 }, { remaining: 10, used: 0 }, "miss"],
    [5, "renderings.put", { remaining: 9, used: 0 }, { remaining: 10, used: 0 }, "miss"],
    [6, "renderings.peek", { remaining: 9, used: 0 }, { remaining: 10, used: 0 }, "hit"],
    [7, "ledger.settle", { remaining: 9, used: 0 }, { remaining: 10, used: 0 }, "hit"],
    [8, "reply", { remaining: 9, used: 1 }, { remaining: 9, used: 1 }, "hit"],
  ])(
    "before step %i, %s: no credit is lost",
    async (step, name, creditsAfterCrash, creditsAfterLease, retry) => {
      const directory = await createTemporaryDirectory();
      const engineBeforeCrash = await openEngine(directory, START_MS);
      const account = await engineBeforeCrash.accounts.create({
        email: "ada@example.com",
        planSlug: "starter",
        creditsPerPeriod: 10,
        verified: true,
      });
      const { token } = await engineBeforeCrash.tokens.create({ accountId: account.id });
      await engineBeforeCrash.close();

      const steps = await crashBefore(step, directory, token);
      expect(steps.at(-1)).toBe(name);
      expect(existsSync(join(directory, "stored.png"))).toBe(steps.includes("renderings.put"));

      const engineAfterCrash = await openEngine(directory, START_MS + 1);
      expect(await credits(engineAfterCrash, account)).toEqual(creditsAfterCrash);
      await engineAfterCrash.close();

      const engineAfterLease = await openEngine(directory, START_MS + LEASE_MS);
      expect(await credits(engineAfterLease, account)).toEqual(creditsAfterLease);
      const principal = await engineAfterLease.authenticate(token);
      const capture = await engineAfterLease.capture({
        principal,
        parameters: { url: "https://example.com/" },
      });
      expect(capture.cache).toBe(retry);
      expect(capture.creditCost).toBe(retry === "miss" ? 1 : 0);
      const cost = retry === "miss" ? 1 : 0;
      expect(await credits(engineAfterLease, account)).toEqual({
        remaining: creditsAfterLease.remaining - cost,
        used: creditsAfterLease.used + cost,
      });
      await engineAfterLease.close();
    },
  );
});
