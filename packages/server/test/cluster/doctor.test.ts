import { afterAll, beforeAll, describe, expect, it } from "vitest";
import pg from "pg";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import { startRedis, type RedisServer } from "../../../testing/test/servers/redis.ts";
import { openWorkspace, type Workspace } from "../cli/command.ts";

interface Check {
  readonly status: string;
  readonly code: string;
}

describe("doctor with PostgreSQL and Redis", { tags: ["postgres", "redis"] }, () => {
  let servers: { readonly postgres: PostgresServer; readonly redis: RedisServer };
  let workspace: Workspace;
  let client: pg.Client;
  beforeAll(async () => {
    const [postgres, redis] = await Promise.all([
      startPostgres(),
      startRedis(["maxmemory 100mb", "maxmemory-policy allkeys-lru"]),
    ]);
    servers = { postgres, redis };
    workspace = openWorkspace({
      SNAP_DATABASE_URL: postgres.url(),
      SNAP_REDIS_URL: redis.url,
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SNAP_BROWSER_URL: "ws://127.0.0.1:9",
      SNAP_BROWSER_EGRESS: "direct",
    });
    client = new pg.Client({ connectionString: postgres.url() });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await workspace.cleanUp();
    await Promise.all([servers.postgres.remove(), servers.redis.stop()]);
  });

  async function findings(): Promise<Readonly<Record<string, string>>> {
    const { stdout } = await workspace.run(["doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return Object.fromEntries(checks.map(({ status, code }) => [code, status]));
  }

  /** Its first call creates the tables. */
  async function createAccount(): Promise<void> {
    const email = `${crypto.randomUUID()}@example.com`;
    await workspace.json(["accounts", "create", "--email", email, "--plan", "starter"]);
  }

  it("creates nothing in an empty database, and still checks Redis", async () => {
    expect(await findings()).toMatchObject({ database_empty: "warning", redis_policy: "warning" });
    const { rows } = await client.query("SELECT FROM pg_namespace WHERE nspname = 'snap'");
    expect(rows).toEqual([]);
    await createAccount();
    expect(await findings()).not.toHaveProperty("database_empty");
  });

  it("reports a newer schema and a missing plan", async () => {
    await createAccount();
    await client.query("INSERT INTO snap.migrations (version) VALUES (99)");
    expect(await findings()).toMatchObject({ schema_newer: "problem" });
    await client.query("DELETE FROM snap.migrations WHERE version = 99");
    await client.query("UPDATE snap.accounts SET plan_slug = 'gone'");
    expect(await findings()).toMatchObject({ plan_missing: "problem" });
  });

  it("reports a table that cannot be read, and still runs the other checks", async () => {
    await createAccount();
    await client.query("ALTER TABLE snap.tokens RENAME TO lost");
    expect(await findings()).toMatchObject({
      storage_fails: "problem",
      remote_browser_unreachable: "problem",
    });
    await client.query("ALTER TABLE snap.lost RENAME TO tokens");
  });
});
