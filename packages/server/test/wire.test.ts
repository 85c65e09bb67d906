import { createEngine } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeClock, createFakeRenderer } from "@snap/testing";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { createTemporaryDirectory } from "../../testing/test/servers/temporary-directory.ts";
import { readConfig } from "../src/config.ts";
import { servicePolicy } from "../src/target-policy.ts";
import { openAdminEngine, openEngine, openEngineWithNewKey } from "../src/wire.ts";

const KEY = "a key of more than 16 characters";
const DAY_MS = 86_400_000;

/** Creates a folder with journal entries 500 days old, and an expired session, which is pruned last. */
async function seed(): Promise<string> {
  const directory = await createTemporaryDirectory();
  writeFileSync(join(directory, "secret.key"), `${KEY}\n`);
  const storage = await openSqliteStorage({ directory });
  const engine = createEngine({
    storage,
    renderer: createFakeRenderer(),
    clock: createFakeClock(Date.now() - 500 * DAY_MS),
    secretKey: KEY,
  });
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "scale",
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  const principal = await engine.authenticate(token);
  await engine.capture({ principal, parameters: { url: "https://93.184.216.34/" } });
  await storage.signIns.insert({ kind: "session", hash: "0f".repeat(32), expiresAt: 1 });
  await engine.close();
  return directory;
}

function count(directory: string, table: string): unknown {
  const database = new DatabaseSync(join(directory, "snap.db"));
  const row = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
  database.close();
  return row?.["count"];
}

it.each([
  ["openAdminEngine", openAdminEngine],
  [
    "openEngineWithNewKey",
    async (config: Parameters<typeof openAdminEngine>[0]) =>
      (await openEngineWithNewKey(config, { dryRun: true })).engine,
  ],
])("%s does not prune the journal, because only the service knows its retention", async (_, open) => {
  const directory = await seed();
  const entries = count(directory, "journal");
  expect(entries).toBeGreaterThan(0);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const engine = await open(readConfig({ SNAP_DATA_DIR: directory }).config);
  onTestFinished(() => engine.close());
  await vi.advanceTimersByTimeAsync(61_000);
  while (count(directory, "sign_ins") !== 0) await new Promise(setImmediate);
  expect(count(directory, "journal")).toBe(entries);
});

it("openEngine closes the storage if the engine rejects an option", async () => {
  const { config } = readConfig({ SNAP_DATA_DIR: await seed() });
  const open = (batchRetentionMs: number): ReturnType<typeof openEngine> =>
    openEngine(
      { ...config, batchRetentionMs },
      { renderer: createFakeRenderer(), targets: servicePolicy(config), isService: true },
    );
  await expect(open(-1)).rejects.toThrow(RangeError);
  // only one service can have the folder open, so this fails if the storage is still open
  const engine = await open(config.batchRetentionMs);
  await engine.close();
});
