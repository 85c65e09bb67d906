import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../src/machine/run.ts";
import { readCommit } from "../src/read-commit.ts";
import { ROOT } from "../src/workspace.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "snap-commit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("reads the commit from the environment, abbreviated", () => {
  expect(readCommit(createTemporaryFolder(), { SOURCE_COMMIT: COMMIT })).toBe("0123456789ab");
});

it("reads the commit from a repository", async () => {
  const folder = createTemporaryFolder();
  const git = (...args: string[]): ReturnType<typeof run> =>
    run("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args]);
  await git("init");
  await git("commit", "--allow-empty", "--message", "Begin");
  const { output } = await git("rev-parse", "HEAD");
  expect(readCommit(folder, {})).toBe(output.trim().slice(0, 12));
});

it("returns null if neither the environment nor the folder has a commit", () => {
  expect(readCommit(createTemporaryFolder(), {})).toBeNull();
  expect(readCommit(createTemporaryFolder(), { SOURCE_COMMIT: "" })).toBeNull();
  expect(readCommit(createTemporaryFolder(), { SOURCE_COMMIT: "$(rev)" })).toBeNull();
});

it("the built command prints a commit if the repository has one", async () => {
  const { output } = await run(process.execPath, [join(ROOT, "packages/server/dist/cli.js"), "--version"]);
  // the build might be older than the newest commit
  expect(/ \([0-9a-f]{12}\)$/.test(output.trim())).toBe(readCommit(ROOT) !== null);
});
