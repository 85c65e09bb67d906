import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace, type Workspace } from "./command.ts";

/** A remote browser that does not exist, so no local one is started. */
const ENVIRONMENT = { SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_BROWSER_EGRESS: "direct", SNAP_PORT: "0" };

const UNDO_MIGRATIONS = `
  DROP TABLE idempotency_keys;
  DROP TABLE delivery_attempts;
  DROP TABLE sign_ins;
  DROP TABLE usage_totals;
  ALTER TABLE renderings DROP COLUMN page;
  DROP TABLE history;
  DROP TABLE history_slices;
  DROP TABLE history_texts;
  DROP TABLE history_accounts;
  DROP TABLE document_files;
  DROP TABLE documents;
  DROP TABLE audit;
  ALTER TABLE tokens DROP COLUMN name;
  ALTER TABLE tokens DROP COLUMN last_used_at;
  ALTER TABLE tokens DROP COLUMN previous_secret_hash;
  ALTER TABLE tokens DROP COLUMN previous_sealed_signing_secret;
  ALTER TABLE tokens DROP COLUMN previous_ends_at;
  DROP TABLE backups;
  DROP TRIGGER journal_keeps_whole_periods;
  CREATE TRIGGER journal_keeps_all_lines BEFORE DELETE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  DROP INDEX balances_by_period;
  DROP INDEX batches_by_account;
  DROP TABLE deletions;
  ALTER TABLE accounts DROP COLUMN deletion_started_at;
  ALTER TABLE accounts DROP COLUMN suspended_at;
  PRAGMA user_version = 5`;

describe("a database from an older release", () => {
  let workspace: Workspace;
  const path = (name: string): string => join(workspace.directory, "data", name);

  beforeEach(async () => {
    workspace = openWorkspace(ENVIRONMENT);
    const account = await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    await workspace.json(["tokens", "create", "--account", (account as { id: string }).id]);
    const database = new DatabaseSync(path("snap.db"));
    database.exec(UNDO_MIGRATIONS);
    database.close();
  });
  afterEach(() => workspace.cleanUp());

  function version(): unknown {
    const database = new DatabaseSync(path("snap.db"));
    const { user_version: stored } = database.prepare("PRAGMA user_version").get() ?? {};
    database.close();
    return stored;
  }

  it("is rejected by commands, with advice, and upgraded by `database upgrade`", async () => {
    for (const command of [
      ["accounts", "list"],
      ["tokens", "list", "--account", "acct_1"],
      ["secret-key", "replace"],
    ])
      expect(await workspace.run(command)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /version 5; this release would migrate it to version 12.*; run `snap-server database upgrade`/,
        ),
      });
    const { code, stderr } = await workspace.run(["migrate", "--to", "postgres://127.0.0.1:9/snap"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("run `snap-server database upgrade`")]);
    const { stdout } = await workspace.run(["doctor"]);
    expect(stdout).toMatch(
      /^warning +schema: .*version 5; this release would migrate it to version 12.*\n +-> run `snap-server database upgrade`/m,
    );
    expect(version()).toBe(5);
    expect(await readdir(path(""))).not.toContain("snap.db.schema-5");

    expect(await workspace.json(["database", "upgrade"])).toEqual({
      migrated: { from: 5, to: 12, copy: path("snap.db.schema-5") },
    });
    expect(version()).toBe(12);
    expect(await workspace.json(["accounts", "list"])).toMatchObject([{ email: "ada@example.com" }]);
    expect((await workspace.run(["database", "upgrade"])).stdout).toBe(
      "The database schema is already up to date.\n",
    );
  });

  it("is not migrated by serve with a wrong key, and not even copied", async () => {
    await writeFile(path("secret.key"), "not the right key\n");
    expect(await workspace.run(["serve"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not the key that encrypted the stored signing secrets"),
    });
    expect(version()).toBe(5);
    expect(await readdir(path(""))).not.toContain("snap.db.schema-5");
  });

  it("can be upgraded after its key is lost, and the key can then be replaced", async () => {
    await rm(path("secret.key"));
    expect(await workspace.json(["database", "upgrade"])).toMatchObject({ migrated: { from: 5, to: 12 } });
    expect(await readdir(path(""))).not.toContain("secret.key");
    expect(await workspace.json(["secret-key", "replace", "--yes"])).toMatchObject({ replaced: true });
    expect(await workspace.json(["accounts", "list"])).toMatchObject([{ email: "ada@example.com" }]);
  });

  it("is migrated by serve, which announces it in the log", async () => {
    const server = workspace.start(["serve"]);
    const [line] = await server.whenPrinted(/^.*"msg":"migrating the database.*$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: "warn",
      from: 5,
      to: 12,
      copy: path("snap.db.schema-5"),
    });
    await server.whenPrinted(/"msg":"listening"/);
    expect(version()).toBe(12);
  });
});
