import { describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../../testing/test/servers/postgres.ts";
import { startRedis } from "../../../testing/test/servers/redis.ts";
import { openWorkspace, type Workspace } from "../cli/command.ts";
import { openShared } from "../migrate/databases.ts";

const RIGHT = { SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef" };
const WRONG = { SNAP_SECRET_KEY: "another key, which is as long as a key must be" };

describe("the secret key of a database", { tags: ["postgres", "redis"] }, () => {
  async function open(): Promise<{ workspace: Workspace; url: string }> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const url = postgres.url();
    const workspace = openWorkspace({
      SNAP_DATABASE_URL: url,
      SNAP_REDIS_URL: redis.url,
      SNAP_PORT: "0",
      SNAP_BROWSER_URL: "ws://127.0.0.1:9",
      SNAP_BROWSER_EGRESS: "direct",
    });
    onTestFinished(async () => {
      await workspace.cleanUp();
      await Promise.all([postgres.remove(), redis.stop()]);
    });
    return { workspace, url };
  }

  it("is not set by commands that encrypt nothing; the first service sets it", async () => {
    const { workspace } = await open();
    expect((await workspace.run(["database", "upgrade"], WRONG)).code).toBe(0);
    expect((await workspace.run(["accounts", "list"], WRONG)).code).toBe(0);
    expect((await workspace.run(["doctor", "--json"], WRONG)).stdout).toContain('"storage"');
    await workspace.start(["serve"], RIGHT).whenPrinted(/"msg":"listening"/);
    const { code, stderr } = await workspace.run(["serve"], WRONG);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("SNAP_SECRET_KEY is not the key that this database is used with"),
    ]);
    expect(await workspace.json(["secret-key", "replace", "--yes"], WRONG)).toEqual({
      replaced: true,
      tokens: [],
    });
    await workspace.start(["serve"], WRONG).whenPrinted(/"msg":"listening"/);
  });

  it("is the one that decrypts the stored secrets, even if the stored fingerprint is another key's", async () => {
    const { workspace, url } = await open();
    const { id } = (await workspace.json("accounts create --email ada@example.com".split(" "), RIGHT)) as {
      id: string;
    };
    await workspace.json(["tokens", "create", "--account", id], RIGHT);
    const storage = await openShared(url);
    await storage.replaceKeyFingerprint("the fingerprint of another key");
    await storage.close();
    const { code, stderr } = await workspace.run(["serve"], WRONG);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("SNAP_SECRET_KEY is not the key that encrypted the stored signing secrets"),
    ]);
    await workspace.start(["serve"], RIGHT).whenPrinted(/"msg":"listening"/);
  });
});
