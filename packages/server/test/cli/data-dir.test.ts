import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.clear());

describe("an unusable data folder: the error names the folder and SNAP_DATA_DIR", () => {
  it("for a path below a file", async () => {
    const file = join(workspace.directory, "file");
    await writeFile(file, "");
    const { code, stderr } = await workspace.run(["accounts", "list"], { SNAP_DATA_DIR: join(file, "data") });
    expect(code).toBe(1);
    expect(stderr).toContain(`SNAP_DATA_DIR: cannot use ${join(file, "data")}: `);
  });

  it("for a corrupt database", async () => {
    const directory = join(workspace.directory, "damaged");
    await mkdir(directory);
    await writeFile(join(directory, "secret.key"), "a key of enough letters\n");
    await writeFile(join(directory, "snap.db"), "this is not a database ".repeat(500));
    const { code, stderr } = await workspace.run(["accounts", "list"], { SNAP_DATA_DIR: directory });
    expect(code).toBe(1);
    expect(stderr).toContain(`SNAP_DATA_DIR: cannot use ${directory}: file is not a database`);
  });
});
