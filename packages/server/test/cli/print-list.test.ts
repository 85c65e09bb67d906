import { createEngine, systemClock } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer } from "@snap/testing";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const SECRET_KEY = "a key for these tests";
const workspace = openWorkspace({ SNAP_SECRET_KEY: SECRET_KEY });
afterAll(() => workspace.cleanUp());

/** Ids of the accounts, in order of creation; every third has no plan, and every fourth is not verified. */
const ids: string[] = [];

beforeAll(async () => {
  const storage = await openSqliteStorage({ directory: join(workspace.directory, "data") });
  // yesterday, so a token can have expired by now
  const clock = { ...systemClock, now: () => Date.now() - 86_400_000 };
  const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: SECRET_KEY, clock });
  for (let index = 0; index < 60; index += 1) {
    const planSlug = index % 3 === 0 ? null : "starter";
    const email = index < 30 ? `user-${index}@one.example.com` : `user+${index}@two.example.com`;
    const { id } = await engine.accounts.create({ email, planSlug, verified: index % 4 !== 0 });
    ids.push(id);
  }
  for (const expiresAt of [null, Date.now() - 1, Date.now() - 1, null])
    await engine.tokens.create({ accountId: ids[0] ?? "", expiresAt });
  await engine.close();
});

interface Listed {
  readonly id: string;
}

describe("accounts list", () => {
  const list = (...args: string[]): Promise<unknown> => workspace.json(["accounts", "list", ...args]);

  it("prints all accounts as a JSON array, or an object with --limit or --after", async () => {
    const all = (await list()) as Listed[];
    expect(all.map(({ id }) => id)).toEqual(ids);
    expect(await list("--limit", "2")).toEqual({ accounts: all.slice(0, 2), more: 58, next: ids[1] });
    expect(await list("--limit", "2", "--after", String(ids[1]))).toEqual({
      accounts: all.slice(2, 4),
      more: 56,
      next: ids[3],
    });
    expect(await list("--after", String(ids[57]))).toEqual({ accounts: all.slice(58), more: 0, next: null });
  });

  it("filters by plan, verification and email address", async () => {
    const idsOf = async (...args: string[]): Promise<string[]> =>
      ((await list(...args)) as Listed[]).map(({ id }) => id);
    const where = (matches: (index: number) => boolean): string[] => ids.filter((_, index) => matches(index));
    expect(await idsOf("--plan", "starter")).toEqual(where((index) => index % 3 !== 0));
    expect(await idsOf("--plan", "none")).toEqual(where((index) => index % 3 === 0));
    expect(await idsOf("--unverified")).toEqual(where((index) => index % 4 === 0));
    expect(await idsOf("--email", "@ONE.")).toEqual(where((index) => index < 30));
    expect(await idsOf("--email", "@two.", "--plan", "none", "--unverified")).toEqual(
      where((index) => index >= 30 && index % 12 === 0),
    );
  });

  it("prints how many more there are, and a command that continues with the same filters", async () => {
    const { stdout } = await workspace.run(["accounts", "list"]);
    expect(stdout.split("\n")).toHaveLength(1 + 50 + 3);
    expect(stdout).toContain(`\n\n10 more: snap-server accounts list --after ${ids[49]}\n`);
    // the last one counts
    const twice = ["--email", "two", "--email", "one"];
    const filtered = await workspace.run(["accounts", "list", ...twice, "--limit", "7"]);
    const [, command = ""] = /^23 more: snap-server (.*)$/m.exec(filtered.stdout) ?? [];
    expect(command).toBe(`accounts list --limit 7 --email one --after ${ids[6]}`);
    const { stdout: next } = await workspace.run(command.split(" "));
    expect(next).toMatch(new RegExp(`^ID .*\n${ids[7]} `));
    const quoted = await workspace.run(["accounts", "list", "--email", "user+", "--limit", "7"]);
    expect(quoted.stdout).toContain(
      `23 more: snap-server accounts list --limit 7 --email 'user+' --after ${ids[36]}\n`,
    );
  });

  it("does not explain how to create an account if filters or --after leave none", async () => {
    for (const filter of [
      ["--email", "nobody"],
      ["--after", String(ids.at(-1))],
    ])
      expect(await workspace.run(["accounts", "list", ...filter])).toMatchObject({
        code: 0,
        stdout: "No matching accounts.\n",
      });
  });

  it.each([["0"], ["1001"], ["all"]])("rejects --limit %s", async (limit) => {
    const { code, stderr } = await workspace.run(["accounts", "list", "--limit", limit]);
    expect(code).toBe(2);
    expect(stderr).toContain("It must be a whole number from 1 to 1000.");
  });

  it("rejects --after with an unknown account", async () => {
    const { code, stderr } = await workspace.run(["accounts", "list", "--after", "acct_0", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "account_not_found" } });
  });
});

describe("tokens list", () => {
  const list = (...args: string[]): Promise<unknown> =>
    workspace.json(["tokens", "list", "--account", "USER-0@one.example.com", ...args]);

  it("paginates and filters the tokens of an account specified by its email address", async () => {
    const all = (await list()) as { id: number }[];
    expect(all).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect(await list("--expired")).toEqual([all[1], all[2]]);
    expect(await list("--limit", "3")).toEqual({ tokens: all.slice(0, 3), more: 1, next: "3" });
    expect(await list("--after", "3")).toEqual({ tokens: [all[3]], more: 0, next: null });
  });

  it("prints the command that shows the rest", async () => {
    const args = ["tokens", "list", "--account", "user-0@one.example.com", "--limit", "1", "--expired"];
    const { stdout } = await workspace.run(args);
    expect(stdout).toContain(
      `1 more: snap-server tokens list --limit 1 --account ${ids[0]} --expired --after 2\n`,
    );
  });

  it("explains how to create a token if the account has none", async () => {
    const { stdout } = await workspace.run(["tokens", "list", "--account", String(ids[1])]);
    expect(stdout).toBe(
      `The account has no tokens yet. Create one:\n  snap-server tokens create --account ${ids[1]}\n`,
    );
  });

  it("rejects --after with an unknown token", async () => {
    const args = ["tokens", "list", "--account", String(ids[0]), "--after", "9", "--json"];
    const { code, stderr } = await workspace.run(args);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "token_not_found" } });
  });
});

describe("an email address", () => {
  it("can be passed in place of an account's id", async () => {
    const email = "User-1@ONE.example.com";
    expect(await workspace.json(["accounts", "show", email])).toMatchObject({ id: ids[1] });
    expect(await workspace.json(["accounts", "update", email, "--credits", "7"])).toMatchObject({
      id: ids[1],
    });
    expect(await workspace.json(["accounts", "verify", email])).toMatchObject({ id: ids[1] });
    expect(await workspace.json(["tokens", "create", "--account", email])).toMatchObject({
      account_id: ids[1],
    });
    expect(await workspace.json(["ledger", "verify", "--account", email])).toMatchObject({ ok: true });
  });

  it("must not be empty", async () => {
    for (const args of [
      ["accounts", "show", ""],
      ["tokens", "create", "--account", ""],
    ])
      expect(await workspace.run(args)).toMatchObject({
        code: 2,
        stderr: "error: no account is named; pass its id or email address\n",
      });
  });

  it("is reported as an error if no account has it", async () => {
    expect(await workspace.run(["tokens", "create", "--account", "nobody@example.com"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "error: no account has the email address nobody@example.com; `snap-server accounts list` lists all accounts\n",
    });
  });
});
