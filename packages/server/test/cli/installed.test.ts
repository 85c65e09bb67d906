import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
beforeAll(() => workspace.json(["accounts", "create", "--email", "ada@example.com"]));
afterAll(() => workspace.cleanUp());

describe("the built command", () => {
  it.each([
    "--help",
    "srve",
    "accounts list",
    "accounts show nobody@example.com --json",
    "tokens list --account ada@example.com",
    "batches list",
    "audit --json",
    "ledger verify",
    "database upgrade",
    "secret-key replace",
    "lists check",
    "migrate --to nowhere",
    "completion bash",
  ])("exits with the same code and output as in the tests' process: %s", async (line) => {
    const args = line.split(" ");
    expect(await workspace.start(args).ended).toEqual(await workspace.run(args));
  });
});
