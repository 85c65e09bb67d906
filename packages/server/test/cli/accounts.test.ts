import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("snap-server accounts", () => {
  let id = "";

  it("list: prints how to create an account if there is none", async () => {
    const account = (await workspace.json(["accounts", "create", "--email", "first@example.com"])) as {
      id: string;
    };
    await workspace.json(["accounts", "delete", account.id, "--yes"]);
    const { code, stdout } = await workspace.run(["accounts", "list"]);
    expect(code).toBe(0);
    expect(stdout).toContain("snap-server accounts create --email you@example.com --plan starter");
    expect(await workspace.json(["accounts", "list"])).toEqual([]);

    const plansFile = join(workspace.directory, "plans.json");
    await writeFile(
      plansFile,
      JSON.stringify([{ slug: "team", name: "Team", creditsPerPeriod: 100, requestsPerMinute: 40 }]),
    );
    const other = await workspace.run(["accounts", "list"], { SNAP_PLANS_FILE: plansFile });
    expect(other.stdout).toContain("snap-server accounts create --email you@example.com --plan team");
  });

  it("makes the data folder accessible only to its owner", async () => {
    const folder = join(workspace.directory, "data");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder))
      expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
  });

  it("create: returns the account", async () => {
    const account = await workspace.json([
      "accounts",
      "create",
      "--email",
      "ada@example.com",
      "--plan",
      "starter",
      "--credits",
      "7",
    ]);
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_[0-9a-f]{20}$/),
      email: "ada@example.com",
      verified_at: expect.stringMatching(DATE_TIME),
      plan: "starter",
      credits_per_period: 7,
      requests_per_minute: null,
      created_at: expect.stringMatching(DATE_TIME),
      suspended_at: null,
      deletion_started_at: null,
    });
    id = (account as { id: string }).id;
  });

  it.each([
    [["--email", "ada@example.com"], "the email address ada@example.com already belongs to another account"],
    [["--email", "ada"], "ada is not an email address"],
    [["--email", ""], "the email address must not be empty"],
    [["--email", `${"a".repeat(250)}@b.co`], "the email address is too long (limit 254 characters)"],
    [
      ["--email", "b@example.com", "--plan", "gold"],
      "unknown plan gold; use one of starter, growth, scale, unlimited",
    ],
  ])("create: rejects $0 with exit code 1", async (args, message) => {
    const { code, stdout, stderr } = await workspace.run(["accounts", "create", ...args]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `error: ${message}\n` });
  });

  it("verify: marks an unverified account as verified", async () => {
    const args = ["accounts", "create", "--email", "eve@example.com", "--unverified"];
    const { id: unverified, verified_at: before } = (await workspace.json(args)) as Record<string, string>;
    expect(before).toBeNull();
    const verified = await workspace.json(["accounts", "verify", String(unverified)]);
    expect(verified).toMatchObject({ id: unverified, verified_at: expect.stringMatching(DATE_TIME) });
  });

  it("update: changes only the given fields; the value none removes an override", async () => {
    const changed = await workspace.json([
      "accounts",
      "update",
      id,
      "--plan",
      "growth",
      "--requests-per-minute",
      "5",
    ]);
    expect(changed).toMatchObject({ plan: "growth", credits_per_period: 7, requests_per_minute: 5 });
    const reset = await workspace.json([
      "accounts",
      "update",
      id,
      "--credits",
      "none",
      "--requests-per-minute",
      "none",
    ]);
    expect(reset).toMatchObject({ plan: "growth", credits_per_period: null, requests_per_minute: null });
  });

  it("show: returns credits and usage", async () => {
    const { token_ids: tokens, usage } = (await workspace.json(["accounts", "show", id])) as {
      token_ids: number[];
      usage: unknown;
    };
    expect(tokens).toEqual([]);
    expect(usage).toEqual({
      credits: { remaining: 10_000, used: 0, total: 10_000 },
      plan: { name: "Growth", slug: "growth" },
      period: { started_at: expect.stringMatching(DATE_TIME), resets_at: expect.stringMatching(DATE_TIME) },
      rate_limit: { requests_per_minute: 60, cached_requests_per_minute: 300 },
    });
    const { stdout } = await workspace.run(["accounts", "show", id]);
    expect(stdout).toContain("10,000 left, 0 used of 10,000");
  });

  it("list: prints a table", async () => {
    const { stdout } = await workspace.run(["accounts", "list"]);
    expect(stdout).toMatch(
      new RegExp(`^ID .*EMAIL .*PLAN .*\n${id}  ada@example\\.com +active +yes +growth`),
    );
  });

  it("suspend and resume: change the state, which list and show print", async () => {
    const suspended = await workspace.json(["accounts", "suspend", id]);
    expect(suspended).toMatchObject({ id, suspended_at: expect.stringMatching(DATE_TIME) });
    expect(await workspace.json(["accounts", "suspend", id])).toEqual(suspended);
    expect((await workspace.run(["accounts", "list"])).stdout).toMatch(/ada@example\.com +suspended/);
    expect((await workspace.run(["accounts", "show", id])).stdout).toMatch(/state +suspended since 20/);
    expect((await workspace.run(["accounts", "resume", id])).stdout).toBe(`Account ${id} is active.\n`);
    expect((await workspace.run(["accounts", "show", id])).stdout).toMatch(/state +active\n/);
  });

  it("delete: deletes nothing without --yes", async () => {
    const { code, stdout } = await workspace.run(["accounts", "delete", id]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Would delete account ${id} (ada@example.com), 0 tokens`);
    expect(stdout).toContain("Nothing is deleted without --yes.");
    expect(await workspace.json(["accounts", "delete", id])).toMatchObject({ deleted: false, id });
    expect(await workspace.json(["accounts", "show", id])).toMatchObject({ id, suspended_at: null });
  });

  it("delete: deletes the account, and its journal only with --purge", async () => {
    await workspace.json(["tokens", "create", "--account", id]);
    expect(await workspace.json(["accounts", "delete", id, "--yes"])).toEqual({
      deleted: true,
      id,
      tokens: 1,
      batches: 0,
      documents: 0,
      renderings: 0,
      requests: 0,
      journal_entries: null,
    });
    expect((await workspace.run(["accounts", "list"])).stdout).not.toContain("ada@example.com");
    const preview = await workspace.run(["accounts", "delete", id, "--purge"]);
    expect([preview.code, preview.stdout]).toEqual([
      0,
      `Account ${id} is already deleted. Would delete its remaining journal.\n` +
        "This cannot be undone. Nothing is deleted without --yes.\n",
    ]);
    const document = { deleted: false, id, token_ids: [], purge: true };
    expect(await workspace.json(["accounts", "delete", id, "--purge"])).toEqual(document);
    const purged = await workspace.run(["accounts", "delete", id, "--yes", "--purge"]);
    expect(purged.stdout).toMatch(/Deleted [1-9] journal entr(y|ies)\./);
    for (const args of [[], ["--purge"], ["--yes"], ["--yes", "--purge"]])
      expect(await workspace.run(["accounts", "delete", id, ...args])).toMatchObject({
        code: 1,
        stderr: `error: account ${id} not found; \`snap-server accounts list\` lists all accounts\n`,
      });
  });

  it.each([["show"], ["verify"], ["suspend"], ["resume"], ["delete"]])(
    "%s: fails for an unknown account",
    async (command) => {
      const { code, stderr } = await workspace.run(["accounts", command, "acct_0", "--json"]);
      expect(code).toBe(1);
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: "account_not_found",
          message: "account acct_0 not found",
          advice: "`snap-server accounts list` lists all accounts",
        },
      });
    },
  );
});
