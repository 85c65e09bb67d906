import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createAuthority } from "../../../testing/test/servers/authority.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import { startRedis } from "../../../testing/test/servers/redis.ts";
import { readConfig } from "../../src/config.ts";
import { openStorage } from "../../src/open-storage.ts";
import { openWorkspace, type Workspace } from "../cli/command.ts";

describe("snap-server connecting to Redis", { tags: ["browser", "openssl", "postgres", "redis"] }, () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());
  const open = (redisUrl: string): Workspace => {
    const workspace = openWorkspace({
      SNAP_DATABASE_URL: postgres.url(),
      SNAP_REDIS_URL: redisUrl,
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SNAP_PORT: "0",
      SNAP_ROLE: "api",
    });
    onTestFinished(() => workspace.cleanUp());
    return workspace;
  };

  it("refuses to start if Redis is unavailable, unless SNAP_REDIS_OPTIONAL=on", async () => {
    const port = await findFreePort();
    const workspace = open(`redis://:hunter2@127.0.0.1:${port}`);
    const refused = await workspace.run(["serve"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `SNAP_REDIS_URL: Redis at 127.0.0.1:${port} is unavailable: connect ECONNREFUSED 127.0.0.1:${port}; ` +
        "start Redis, or correct the host and the port; or set SNAP_REDIS_OPTIONAL=on to start without it",
    );
    const doctor = await workspace.run(["doctor"]);
    expect(doctor.stdout).toMatch(
      /^problem +cache: Redis at .* start Redis, or correct the host and the port/m,
    );
    expect(doctor.code).toBe(1);

    const optional = { SNAP_REDIS_OPTIONAL: "on" };
    const doctorAgain = await workspace.run(["doctor"], optional);
    expect(doctorAgain.stdout).toMatch(/^warning +cache: Redis at /m);
    expect(doctorAgain.code).toBe(0);
    const server = workspace.start(["serve"], optional);
    await server.whenPrinted(/"msg":"listening"/);
    const redis = await startRedis(["requirepass hunter2", `port ${port}`]);
    onTestFinished(() => redis.stop());
    await server.whenPrinted(/Redis is reachable again/);
  });

  it("reports errors of Redis separately from those of PostgreSQL", async () => {
    const redis = await startRedis();
    const { config } = readConfig(open(redis.url).environment);
    const [redisFailed, postgresFailed] = [
      Promise.withResolvers<unknown>(),
      Promise.withResolvers<unknown>(),
    ];
    const { storage } = await openStorage(config, {
      createsDatabase: true,
      onRedisError: (error) => redisFailed.resolve(error),
      onBackgroundError: (error) => postgresFailed.resolve(error),
      beforeMigration: () => {},
    });
    onTestFinished(() => storage.close());
    await storage.accounts.list();
    const client = new pg.Client({ connectionString: postgres.url() });
    await client.connect();
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle' AND pid <> pg_backend_pid()",
    );
    await client.end();
    expect(String(await postgresFailed.promise)).toContain("lost a connection to PostgreSQL");
    await redis.stop();
    await storage.renderings.stats();
    expect(String(await redisFailed.promise)).toContain("Redis");
  });

  it("connects over TLS if NODE_EXTRA_CA_CERTS names the private certificate authority", async () => {
    const { authorityFile, certificateFile, keyFile } = await createAuthority();
    const port = await findFreePort();
    const redis = await startRedis([
      "port 0",
      `tls-port ${port}`,
      `tls-cert-file ${certificateFile}`,
      `tls-key-file ${keyFile}`,
      `tls-ca-cert-file ${authorityFile}`,
      "tls-auth-clients no",
      "requirepass hunter2",
    ]);
    onTestFinished(() => redis.stop());
    const workspace = open(`rediss://:hunter2@localhost:${port}`);
    const refused = await workspace.run(["serve"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("set NODE_EXTRA_CA_CERTS to its certificate file");
    const trusted = { NODE_EXTRA_CA_CERTS: authorityFile };
    await workspace.start(["serve"], trusted).whenPrinted(/"msg":"listening"/);
    expect((await workspace.start(["doctor"], trusted).ended).stdout).toMatch(
      /^ok +cache: Redis is reachable$/m,
    );
  });
});
