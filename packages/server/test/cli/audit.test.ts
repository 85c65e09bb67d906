import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI, openWorkspace, type MintedToken, type Workspace } from "./command.ts";

const EMAIL = "ada@example.com";

let workspace: Workspace;
let account = "";
beforeEach(async () => {
  workspace = openWorkspace();
  account = ((await workspace.json(["accounts", "create", "--email", EMAIL])) as { id: string }).id;
});
afterEach(() => workspace.cleanUp());

interface Entry {
  readonly at: string;
  readonly command: string;
  readonly subjects: readonly string[];
  readonly user: string;
  readonly host: string;
}

const audit = async (...args: string[]): Promise<readonly Entry[]> =>
  (await workspace.json(["audit", ...args])) as readonly Entry[];

const mint = async (...args: string[]): Promise<MintedToken> =>
  (await workspace.json(["tokens", ...args])) as MintedToken;

describe("the audit log", () => {
  it("has an entry for each command that changes or reveals something, and none for the others", async () => {
    const secrets: string[] = [EMAIL, "grace@example.com"];
    for (const args of [
      ["create", "--account", account, "--name", "the shop"],
      ["rotate", "1"],
    ]) {
      const { token, signing_secret: signingSecret } = await mint(...args);
      secrets.push(signingSecret, token, token.split("|")[1] ?? "");
    }
    for (const args of [
      ["tokens", "reveal", "1"],
      ["tokens", "list", "--account", account],
      ["tokens", "show", "1"],
      ["accounts", "update", account, "--email", "grace@example.com"],
      ["accounts", "verify", account],
      ["accounts", "list"],
      ["accounts", "show", account],
      ["tokens", "revoke", "1"],
      ["database", "upgrade"],
      ["secret-key", "replace"],
    ])
      expect(await workspace.run(args)).toMatchObject({ code: 0 });
    const entries = await audit();
    const tokenSubjects = [`account ${account}`, "token 1"];
    expect(entries.map(({ command, subjects }) => [command, subjects.toSorted()])).toEqual([
      ["accounts create", [`account ${account}`]],
      ["tokens create", tokenSubjects],
      ["tokens rotate", tokenSubjects],
      ["tokens reveal", tokenSubjects],
      ["accounts update", [`account ${account}`]],
      ["accounts verify", [`account ${account}`]],
      ["tokens revoke", tokenSubjects],
    ]);
    for (const { at, user, host } of entries) {
      expect(Date.parse(at)).toBeGreaterThan(0);
      expect({ user, host }).toEqual({ user: userInfo().username, host: hostname() });
    }
    const text = JSON.stringify(entries);
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it("has no entry for a command that was rejected", async () => {
    for (const args of [
      ["tokens", "revoke", "7"],
      ["accounts", "verify", "acct_0"],
      ["accounts", "create", "--email", EMAIL],
    ])
      expect(await workspace.run(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: /) });
    expect(await audit()).toHaveLength(1);
  });

  it("is logged to stderr in the service's format, separate from the output", async () => {
    const { stdout, stderr } = await workspace.run(["accounts", "verify", account, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ id: account });
    expect(JSON.parse(stderr)).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      instance: expect.stringMatching(/:\d+$/) as string,
      command: "accounts verify",
      subjects: [`account ${account}`],
      user: userInfo().username,
      host: hostname(),
      msg: "audit",
    });
  });

  it("is readable on a terminal", () => {
    const command = `'${process.execPath}' '${CLI}' accounts verify ${account}`;
    const { environment: env, directory: cwd } = workspace;
    // `script` (util-linux) runs the command in a separate terminal
    const output = execFileSync("script", ["-qec", command, "/dev/null"], { env, cwd, stdio: "pipe" });
    expect(output.toString()).toMatch(
      /^\d\d:\d\d:\d\d  audit  command=accounts verify  subjects=\["account acct_\w+"\]  user=/m,
    );
  });

  it("can be listed from a given time onward, and as a table", async () => {
    const database = new DatabaseSync(join(workspace.directory, "data/snap.db"));
    database.exec("UPDATE audit SET at = at - 2 * 86400000");
    database.close();
    await workspace.json(["accounts", "verify", account]);
    expect((await audit("--since", "1d")).map(({ command }) => command)).toEqual(["accounts verify"]);
    expect(await audit("--since", "3d")).toHaveLength(2);
    const { stdout } = await workspace.run(["audit"]);
    expect(stdout).toMatch(/^AT +COMMAND +CHANGED +USER +HOST\n.* UTC {2}accounts create {2}account acct_/);
    expect(await workspace.run(["audit", "--since", "soon"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("30d"),
    });
  });

  it("says that it is empty, or has no entry in the given time", async () => {
    const database = new DatabaseSync(join(workspace.directory, "data/snap.db"));
    database.exec("DELETE FROM audit");
    database.close();
    expect((await workspace.run(["audit"])).stdout).toBe("The audit log is empty.\n");
    expect((await workspace.run(["audit", "--since", "1d"])).stdout).toBe("No changes in that time.\n");
  });

  it("names the tokens whose signing secrets were replaced after the key was lost", async () => {
    await mint("create", "--account", account);
    await rm(join(workspace.directory, "data/secret.key"));
    await workspace.json(["secret-key", "replace", "--yes"]);
    expect((await audit()).at(-1)).toMatchObject({
      command: "secret-key replace",
      subjects: expect.arrayContaining(["token 1", `account ${account}`]),
    });
  });

  it("reports a change that was made but could not be added", async () => {
    const database = new DatabaseSync(join(workspace.directory, "data/snap.db"));
    database.exec("CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END");
    database.close();
    const { code, stderr } = await workspace.run(["accounts", "verify", account]);
    expect(code).toBe(1);
    expect(stderr).toContain('"command":"accounts verify"');
    expect(stderr).toContain("error: the change was made, but not added to the audit log: no room");
  });
});
