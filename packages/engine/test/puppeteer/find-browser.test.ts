import fs, { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { findBrowser } from "../../src/puppeteer/browser/find-browser.ts";

const COMMAND = "chromium-headless-shell";

beforeEach(() => {
  const accessSync = fs.accessSync.bind(fs);
  // hides the browsers of this machine
  vi.spyOn(fs, "accessSync").mockImplementation((path, mode) => {
    if (!String(path).startsWith(tmpdir())) throw new Error("hidden");
    accessSync(path, mode);
  });
  syncBuiltinESMExports();
  vi.spyOn(process, "getuid").mockReturnValue(0);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Creates an empty folder that all users can open, and makes it the only one in `PATH`. */
async function pathFolder(): Promise<string> {
  const dir = await createTemporaryDirectory();
  chmodSync(dir, 0o755);
  vi.stubEnv("PATH", dir);
  return dir;
}

function writeProgram(path: string): void {
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
}

it("a folder is not a browser", async () => {
  const dir = await pathFolder();
  mkdirSync(join(dir, COMMAND));
  writeProgram(join(dir, "chromium"));
  expect(await findBrowser()).toBe(join(dir, "chromium"));
});

it("root does not use a link to a browser in a folder that other users cannot open", async () => {
  const dir = await pathFolder();
  mkdirSync(join(dir, "private"), { mode: 0o700 });
  writeProgram(join(dir, "private", "browser"));
  symlinkSync(join(dir, "private", "browser"), join(dir, COMMAND));
  writeProgram(join(dir, "chromium"));
  expect(await findBrowser()).toBe(join(dir, "chromium"));
});

it("the path of a browser is absolute even if PATH is not", async () => {
  const dir = await pathFolder();
  writeProgram(join(dir, COMMAND));
  vi.stubEnv("PATH", relative(process.cwd(), dir));
  expect(await findBrowser()).toBe(join(dir, COMMAND));
});
