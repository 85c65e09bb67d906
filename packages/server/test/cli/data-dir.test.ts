import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

describe("the data folder", () => {
  it("is named in the error, with SNAP_DATA_DIR, if its path is under a file", async () => {
    const file = join(workspace.directory, "file");
    await writeFile(file, "");
    const { code, stderr } = await workspace.run(["accounts", "list"], { SNAP_DATA_DIR: join(file, "data") });
    expect(code).toBe(1);
    expect(stderr).toContain(`SNAP_DATA_DIR: cannot use ${join(file, "data")}: `);
  });

  it("is named in the error, with SNAP_DATA_DIR, if it cannot be created", async () => {
    const file = join(workspace.directory, "snap.tar");
    await writeFile(file, "");
    for (const command of [
      ["accounts", "create", "--email", "ada@example.com"],
      ["restore", file],
    ])
      expect(await workspace.run(command, { SNAP_DATA_DIR: "/proc/snap/data" })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          "SNAP_DATA_DIR: cannot use /proc/snap/data: cannot create /proc/snap",
        ),
      });
  });

  it("is not created by commands that only read or change data", async () => {
    const directory = join(workspace.directory, "mistyped");
    for (const command of [
      ["accounts", "list"],
      ["tokens", "list", "--account", "ada@example.com"],
      ["batches", "list"],
      ["renderings", "purge"],
      ["tokens", "revoke", "1"],
      ["audit"],
      ["database", "upgrade"],
      ["secret-key", "replace", "--yes"],
      ["ledger", "verify"],
      ["backup", "-"],
    ])
      expect(await workspace.run(command, { SNAP_DATA_DIR: directory })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `${directory} does not contain snap.db; set SNAP_DATA_DIR to the service's folder`,
        ),
      });
    expect(await readdir(workspace.directory)).not.toContain("mistyped");
  });

  it("is named in the error, with SNAP_DATA_DIR, if its database is corrupt", async () => {
    const directory = join(workspace.directory, "corrupt");
    await mkdir(directory);
    await writeFile(join(directory, "secret.key"), "a key of enough letters\n");
    await writeFile(join(directory, "snap.db"), "this is not a database ".repeat(500));
    const { code, stderr } = await workspace.run(["accounts", "list"], { SNAP_DATA_DIR: directory });
    expect(code).toBe(1);
    expect(stderr).toContain(`SNAP_DATA_DIR: cannot use ${directory}: file is not a database`);
  });

  it("is reported as in use if another process has locked its database", async () => {
    const directory = join(workspace.directory, "locked");
    const environment = { SNAP_DATA_DIR: directory };
    await workspace.json(["accounts", "create", "--email", "ada@example.com"], environment);
    const database = new DatabaseSync(join(directory, "snap.db"));
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const { code, stderr } = await workspace.start(["accounts", "list", "--json"], environment).ended;
    database.close();
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "folder_in_use",
        message: `SNAP_DATA_DIR: cannot use ${directory}: database is locked`,
        advice: "another process is using it; wait until that process has exited",
      },
    });
  });
});
