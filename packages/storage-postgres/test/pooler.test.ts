import { createMemoryStorage, testStorage, type StorageSettings } from "@snap/testing";
import { createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listen } from "../../testing/test/servers/listen.ts";
import { startPgbouncer, type Pgbouncer } from "../../testing/test/servers/pgbouncer.ts";
import { openDatabase } from "../src/database.ts";
import { openPostgresStorage, openPostgresTarget, type PoolMode } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { execute, openStorage, TRUNCATE_ALL, useServer } from "./server.ts";

/** Starts a PgBouncer in front of the server, for the tests in a group. */
function usePgbouncer(
  { server }: Pick<ReturnType<typeof useServer>, "server">,
  settings: Readonly<Record<string, string>>,
  database?: string,
): (url: string) => string {
  let pooler: Pgbouncer | null = null;
  beforeAll(async () => {
    pooler = await startPgbouncer(server(), settings, database);
  });
  afterAll(() => pooler?.stop());
  return (url) => {
    if (pooler === null) throw new Error("PgBouncer has not been started");
    return pooler.url(new URL(url).pathname.slice(1));
  };
}

describe.each<PoolMode>(["transaction", "session"])(
  "through PgBouncer in %s mode",
  { tags: ["postgres", "pgbouncer"] },
  (mode) => {
    const { server, newDatabase } = useServer();
    const throughPooler = usePgbouncer({ server }, { pool_mode: mode, default_pool_size: "40" });

    let reusedUrl = "";
    beforeAll(async () => {
      reusedUrl = await newDatabase();
    });
    // session mode runs the same statements
    if (mode === "transaction")
      testStorage({ describe, it }, async (settings?: StorageSettings) => {
        await execute(reusedUrl, TRUNCATE_ALL);
        const cache = createMemoryStorage(settings);
        const storage = await openPostgresStorage({ url: throughPooler(reusedUrl), cache });
        return { storage, close: () => storage.close() };
      });

    it("the mode is detected, and so is the absence of a pooler", async () => {
      const url = await newDatabase();
      const onPooler = vi.fn<(found: PoolMode) => void>();
      await (await openStorage({ url: throughPooler(url), onPooler })).close();
      expect(onPooler.mock.calls).toEqual([[mode]]);
      await (await openStorage({ url, onPooler })).close();
      expect(onPooler).toHaveBeenCalledTimes(1);
    });

    it("the mode is detected while others use the pool", async () => {
      const url = throughPooler(await newDatabase());
      const found: PoolMode[] = [];
      const onPooler = (one: PoolMode): void => void found.push(one);
      const storages = await Promise.all(Array.from({ length: 8 }, () => openStorage({ url, onPooler })));
      expect(found).toEqual(Array.from({ length: 8 }, () => mode));
      await Promise.all(storages.map((storage) => storage.close()));
    });

    it("migrations run once if many processes start concurrently", async () => {
      const url = await newDatabase({ migrated: false });
      const storages = await Promise.all(
        Array.from({ length: 8 }, () => openStorage({ url: throughPooler(url) })),
      );
      for (const storage of storages) await storage.check();
      await Promise.all(storages.map((storage) => storage.close()));
      const rows = await execute<{ count: number }>(
        url,
        "SELECT count(*)::INTEGER AS count FROM snap.migrations",
      );
      const [{ latest } = { latest: null }] = await execute<{ latest: number }>(
        url,
        "SELECT max(version) AS latest FROM snap.migrations",
      );
      expect(rows).toEqual([{ count: latest }]);
    });

    it("sets timeouts for the transaction only, not for the session", async () => {
      const url = throughPooler(await newDatabase());
      const onBackgroundError = (): void => {};
      const database = openDatabase({ url, isPooled: true, maxConnections: 1, onBackgroundError });
      const limits = `SELECT current_setting('statement_timeout') AS statement,
        current_setting('idle_in_transaction_session_timeout') AS idle`;
      const inTransaction = await database.transaction((query) => query(limits));
      expect(inTransaction).toEqual([{ statement: "15s", idle: "15s" }]);
      expect(await database.query(limits)).toEqual([{ statement: "0", idle: "0" }]);
      await database.close();
    });

    it("a data migration into the database can be finished", async () => {
      const url = await newDatabase();
      const target = await openPostgresTarget({ url: throughPooler(url) });
      await target.begin("fingerprint");
      await expect(openStorage({ url: throughPooler(url) })).rejects.toThrow(
        "a data migration into this database is unfinished",
      );
      const totals = await target.totals();
      await target.finish(totals);
      await target.close();
      expect(totals.accounts).toBe(0);
      await (await openStorage({ url: throughPooler(url) })).close();
    });
  },
);

describe("batch notifications", { tags: ["postgres", "pgbouncer"] }, () => {
  const { server, newDatabase } = useServer();
  const throughSessionMode = usePgbouncer({ server }, { pool_mode: "session" });
  const throughTransactionMode = usePgbouncer({ server }, { pool_mode: "transaction" });

  it("arrive through PgBouncer in session mode", async () => {
    const storage = await openStorage({ url: throughSessionMode(await newDatabase()) });
    const wake = vi.fn<() => void>();
    const watch = await storage.batches.watch(wake);
    // wakes once when it starts to listen
    await expect.poll(() => wake.mock.calls.length).toBe(1);
    await storage.batches.insert(sampleBatch("batch_1"));
    await expect.poll(() => wake.mock.calls.length).toBe(2);
    await watch.stop();
    await storage.close();
  });

  it("are not listened for in transaction mode, where other clients would get them", async () => {
    const url = await newDatabase();
    const storage = await openStorage({ url: throughTransactionMode(url) });
    const connect = vi.spyOn(pg.Client.prototype, "connect");
    const watch = await storage.batches.watch(() => {});
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
    await watch.stop();
    await storage.close();
  });
});

describe("an unusable connection pooler", { tags: ["postgres", "pgbouncer"] }, () => {
  const { server, newDatabase } = useServer();
  const throughStatementMode = usePgbouncer({ server }, { pool_mode: "statement" });
  const throughTransactionMode = usePgbouncer({ server }, { pool_mode: "transaction" });
  const withOneDatabase = usePgbouncer({ server }, { pool_mode: "transaction" }, "postgres");
  const withOneConnection = usePgbouncer({ server }, { pool_mode: "session", default_pool_size: "1" });
  const failure = async (url: string): Promise<string> => {
    const error: unknown = await openStorage({ url }).catch((reason: unknown) => reason);
    return error instanceof Error ? error.message : "it was opened";
  };

  it("is rejected with a remedy if it is in statement mode", async () => {
    expect(await failure(throughStatementMode(await newDatabase()))).toMatch(
      /^transaction blocks not allowed in statement pooling mode; .*set PgBouncer's pool_mode to transaction or session$/,
    );
  });

  it("is rejected with a remedy if its pool is too small", async () => {
    expect(await failure(withOneConnection(await newDatabase()))).toMatch(
      /^the connection pooler's pool is too small; raise default_pool_size in PgBouncer: /,
    );
  });

  it("is rejected with a remedy if the database does not exist or the pooler does not serve it", async () => {
    const url = await newDatabase();
    const remedy = "correct the database name, or create the database";
    const missing = new URL(`${url}_missing`).pathname.slice(1);
    expect(await failure(throughTransactionMode(`${url}_missing`))).toBe(
      `database "${missing}" does not exist; ${remedy}`,
    );
    expect(await failure(withOneDatabase(url))).toBe(
      `no such database: ${new URL(url).pathname.slice(1)}; ${remedy}`,
    );
  });

  it("is rejected with a remedy if the user is wrong", async () => {
    const url = throughTransactionMode(await newDatabase()).replace("snap@", "ada@");
    expect(await failure(url)).toMatch(/ authentication failed; correct the user and the password$/);
  });

  it("is rejected with a remedy if it accepts connections but does not respond", async () => {
    const port = await listen(createServer());
    expect(await failure(`postgres://snap@127.0.0.1:${port}/snap`)).toBe(
      "timeout expired; the server accepts connections but does not respond: check that PostgreSQL or the pooler is not hung or overloaded",
    );
  });

  it("is rejected with a remedy if the URL sets a startup parameter that it does not support", async () => {
    expect(
      await failure(`${throughTransactionMode(await newDatabase())}?options=-c%20work_mem%3D8MB`),
    ).toContain(
      "unsupported startup parameter: options; the connection pooler rejects it: remove it from the URL",
    );
  });
});
