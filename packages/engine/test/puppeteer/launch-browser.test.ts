// @module-tag browser

import childProcess, { ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findBrowser } from "../../src/puppeteer/browser/find-browser.ts";
import { launchBrowser, type LaunchOptions } from "../../src/puppeteer/browser/launch-browser.ts";
import { readProcessGroup, required } from "./setup.ts";

const NEVER_ABORTED = new AbortController().signal;

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "snap-test-"));
  chmodSync(dir, 0o777);
  vi.stubEnv("TMPDIR", dir);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(dir, { recursive: true });
});

/** Makes a function of `node:fs/promises` fail, for every module that imports it. */
function breakFiles(name: "chown" | "rm", code: string): void {
  vi.spyOn(files, name).mockRejectedValue(Object.assign(new Error(`${code}: ${name}`), { code }));
  syncBuiltinESMExports();
}

async function options(executablePath?: string): Promise<LaunchOptions> {
  const path = executablePath ?? required(await findBrowser(), "browser");
  return { executablePath: path, sandbox: "on", userAgent: null };
}

/** Creates a shell script to start instead of a browser. */
function script(body: string): string {
  const path = join(dir, "browser");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function profiles(): string[] {
  return readdirSync(dir).filter((name) => name.startsWith("snap-browser-"));
}

describe("a profile that cannot be removed", () => {
  it("does not hide why the browser did not start", async () => {
    breakFiles("rm", "ENOTEMPTY");
    const launching = launchBrowser(await options(script("exit 7")), NEVER_ABORTED);
    await expect(launching).rejects.toThrow("exit code 7");
  });

  it("does not prevent killing the browser", async () => {
    const browser = await launchBrowser(await options(), NEVER_ABORTED);
    breakFiles("rm", "ENOTEMPTY");
    await browser.kill();
    // killed helpers can take a moment to exit
    await expect.poll(() => readProcessGroup(browser.pid)).toEqual([]);
  });
});

it("a start is aborted when the renderer closes, and leaves no process or profile behind", async () => {
  const pidFile = join(dir, "pid");
  const hangs = script(`[ "$1" = --version ] && exit; echo $$ >${pidFile}; exec sleep 60`);
  const closing = new AbortController();
  const launching = launchBrowser(await options(hangs), closing.signal);
  launching.catch(() => {});
  // the shell creates the file before it writes the id
  await expect.poll(() => (existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "")).toMatch(/\n$/);
  const pid = Number(readFileSync(pidFile, "utf8"));
  closing.abort(new Error("the renderer closed"));
  await expect(launching).rejects.toThrow(`${hangs} did not start: the renderer closed`);
  expect(readProcessGroup(pid)).toEqual([]);
  expect(profiles()).toEqual([]);
});

it("a start fails with the system's reason if no process can be started", async () => {
  vi.spyOn(childProcess, "spawn").mockImplementation(() => {
    // as for EMFILE, a child without an id and without streams
    const child = new ChildProcess();
    const error = Object.assign(new Error("spawn /bin/sh EMFILE"), { code: "EMFILE" });
    setImmediate(() => child.emit("error", error));
    return child;
  });
  syncBuiltinESMExports();
  await expect(launchBrowser(await options(script("exit")), NEVER_ABORTED)).rejects.toThrow(
    "spawn /bin/sh EMFILE",
  );
  expect(profiles()).toEqual([]);
});

describe("root without capabilities", () => {
  it("gets an error that lists the capabilities it needs, and leaves no profile behind", async () => {
    vi.spyOn(process, "getuid").mockReturnValue(0);
    breakFiles("chown", "EPERM");
    await expect(launchBrowser(await options(), NEVER_ABORTED)).rejects.toThrow(
      "EPERM: chown. This process is running as root and starts the browser as user 65534; grant it CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_KILL, or run it as another user",
    );
    expect(profiles()).toEqual([]);
  });

  it("cannot start a browser that it could not kill", async () => {
    const kill = process.kill.bind(process);
    vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
      if (signal === 0) throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
      return kill(pid, signal);
    });
    await expect(launchBrowser(await options(), NEVER_ABORTED)).rejects.toThrow("did not start: kill EPERM");
    expect(profiles()).toEqual([]);
  });
});
