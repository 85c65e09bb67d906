import { createEngine } from "@snap/engine";
import { createFakeRenderer } from "@snap/testing";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { serveEngine } from "../http/serve-engine.ts";

/**
 * Starts a service on an SQLite file. `connection` is the storage's; `readyz` returns the status of
 * `/readyz`.
 */
async function openService(): Promise<{
  readonly filename: string;
  readonly connection: DatabaseSync;
  readonly readyz: () => Promise<number>;
}> {
  const directory = await createTemporaryDirectory();
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  const storage = await openSqliteStorage({ directory, busyTimeoutMs: 1 });
  const filename = join(directory, "snap.db");
  const connections = exec.mock.contexts as DatabaseSync[];
  const connection = connections.find((one) => one.location() === filename);
  if (connection === undefined) throw new Error("the storage has no connection to its database");
  exec.mockRestore();
  const renderer = createFakeRenderer();
  const engine = createEngine({ storage, renderer, secretKey: "a key for these tests" });
  const service = await serveEngine(engine);
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });
  const readyz = async (): Promise<number> => (await fetch(`${service.origin}/readyz`)).status;
  return { filename, connection, readyz };
}

it("a service is not ready while its database is locked, and then recovers", async () => {
  const { filename, readyz } = await openService();
  expect(await readyz()).toBe(200);
  const other = new DatabaseSync(filename);
  other.exec("BEGIN EXCLUSIVE");
  await expect.poll(readyz).toBe(503);
  other.exec("ROLLBACK");
  other.close();
  await expect.poll(readyz).toBe(200);
});

it("a service is not ready while its disk is full, and then recovers", async () => {
  const { connection, readyz } = await openService();
  connection.exec("PRAGMA max_page_count = 1");
  await expect.poll(readyz).toBe(503);
  connection.exec("PRAGMA max_page_count = 1000000");
  await expect.poll(readyz).toBe(200);
});
