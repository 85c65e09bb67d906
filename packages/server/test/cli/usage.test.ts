import type { Command } from "commander";
import { readdir } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

describe("help", () => {
  it.each([
    [["--help"], "snap-server render https://example.com -o example.png"],
    [["serve", "--help"], "SNAP_PORT"],
    [["accounts", "--help"], "verify"],
    [["serve", "--help"], "SNAP_WEBHOOK_SCHEDULE"],
    [["tokens", "create", "--help"], "--expires-in"],
    [["batches", "--help"], "show"],
    [["migrate", "--help"], "SNAP_DATABASE_URL"],
    [["render", "--help"], "--full-page"],
    [["render", "--help"], "--allow-target 127.0.0.1:8080"],
    [["tokens", "create", "--help"], "id or email address of the account (required)"],
    [["ledger", "--help"], "verify"],
    [["help"], "snap-server render https://example.com -o example.png"],
    [["help", "tokens"], "rotate"],
    [["help", "tokens", "rotate"], "snap-server tokens rotate [options] <id>"],
    [["tokens", "help", "rotate"], "snap-server tokens rotate [options] <id>"],
    [["completion", "--help"], "source <(snap-server completion bash)"],
  ])("%j prints to stdout and exits with code 0", async (args, text) => {
    const { code, stdout, stderr } = await workspace.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(text);
  });
});

it("--version prints the version, and the commit if it is known", async () => {
  const { code, stdout } = await workspace.run(["--version"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/),
  });
});

it("every argument and option that names an account is called account, so it accepts an email address", () => {
  const commands = commandsOf(createProgram());
  const names = commands
    .flatMap(({ registeredArguments }) => registeredArguments)
    .filter(({ description }) => /\baccount\b/.test(description))
    .map((argument) => argument.name());
  const flags = commands
    .flatMap(({ options }) => options)
    .filter(({ long }) => long === "--account")
    .map((option) => option.flags);
  expect(new Set(names)).toEqual(new Set(["account"]));
  expect(new Set(flags)).toEqual(new Set(["--account <account>"]));
});

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

describe("invalid usage", () => {
  it.each([
    [["srve"], "error: unknown command 'srve' (Did you mean serve?)\n"],
    [["bogus"], "error: unknown command 'bogus'; `snap-server --help` lists the commands\n"],
    [["tokens", "rotat", "1"], "error: unknown command 'rotat' (Did you mean rotate?)\n"],
    [["tokens", "create"], "error: required option '--account <account>' not specified\n"],
    [
      ["tokens", "create", "--account", "a", "--expires-in", "3w"],
      "error: option '--expires-in <duration>' argument '3w' is invalid. It must be a duration such as 45s, 30m, 12h or 30d, at most 3650d, or \"none\".\n",
    ],
    [
      ["tokens", "create", "--account", "a", "--ability", "video"],
      "error: option '--ability <ability...>' argument 'video' is invalid. Allowed choices are screenshot, pdf.\n",
    ],
    [
      ["accounts", "update", "a"],
      "error: nothing to change; pass --email, --plan, --credits or --requests-per-minute\n",
    ],
    [["serve", "--devel"], "error: unknown option '--devel' (Did you mean --dev?)\n"],
  ])("%j prints one line to stderr, creates no files and exits with code 2", async (args, stderr) => {
    expect(await workspace.run(args)).toMatchObject({ code: 2, stdout: "", stderr });
    expect(await readdir(workspace.directory)).toEqual([]);
  });

  it("is reported as JSON with --json", async () => {
    const { code, stdout, stderr } = await workspace.run(["accounts", "lst", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "usage", message: "unknown command 'lst' (Did you mean list?)", advice: null },
    });
  });
});

describe("an invalid configuration", () => {
  const invalid = { SNAP_PORT: "abc", SNAP_SECRET_KEY: "hunter2", SNAP_ROLE: "both" };

  it.each([["serve"], ["accounts list"], ["render http://example.com/ -o a.png"]])(
    "stops %s with exit code 2, listing every mistake",
    async (command) => {
      const { code, stdout, stderr } = await workspace.run(command.split(" "), invalid);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain('SNAP_PORT is "abc": must be a whole number from 0 to 65535');
      expect(stderr).toContain("SNAP_SECRET_KEY: must be");
      expect(stderr).toContain('SNAP_ROLE is "both": must be one of all, api, worker');
      expect(stderr).not.toContain("hunter2");
    },
  );

  it("is listed as JSON with --json", async () => {
    const { stderr } = await workspace.run(["accounts", "list", "--json"], invalid);
    const { error } = JSON.parse(stderr) as { error: { code: string; mistakes: string[] } };
    expect(error.code).toBe("configuration");
    expect(error.mistakes).toHaveLength(3);
  });

  it("causes only a warning for an unknown variable", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const { code, stderr } = await workspace.run(["accounts", "list"], { SNAP_PROT: "1" });
    expect(code).toBe(0);
    expect(stderr).toBe("warning: SNAP_PROT is not a known variable; did you mean SNAP_PORT?\n");
  });

  it("has its warnings in one JSON document, with or without an error", async () => {
    const warnings = ["SNAP_PROT is not a known variable; did you mean SNAP_PORT?"];
    const failed = await workspace.run(["accounts", "show", "a@b.example", "--json"], { SNAP_PROT: "1" });
    expect({ code: failed.code, ...(JSON.parse(failed.stderr) as object) }).toEqual({
      code: 1,
      error: {
        code: "account_not_found",
        message: "no account has the email address a@b.example",
        advice: "`snap-server accounts list` lists all accounts",
      },
      warnings,
    });
    const succeeded = await workspace.run(["accounts", "list", "--json"], { SNAP_PROT: "1" });
    expect(succeeded.code).toBe(0);
    expect(JSON.parse(succeeded.stderr)).toEqual({ warnings });
  });
});
