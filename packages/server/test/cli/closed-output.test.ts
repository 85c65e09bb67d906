import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { CLI, openWorkspace, until, type RunningCommand } from "./command.ts";

/** Uses a remote browser that does not exist. */
const ENVIRONMENT = { SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_BROWSER_EGRESS: "direct", SNAP_PORT: "0" };

describe("a command whose output nobody reads", () => {
  const workspace = openWorkspace(ENVIRONMENT);
  beforeAll(() => workspace.json(["accounts", "create", "--email", "ada@example.com"]));
  afterAll(() => workspace.cleanUp());

  /** Starts a command whose stdout is closed before it writes. */
  function startWithClosedStdout(...args: string[]): RunningCommand {
    const running = workspace.start(args);
    running.child.stdout?.destroy();
    return running;
  }

  it("ends quietly", async () => {
    expect(await startWithClosedStdout("accounts", "list").ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("ends with its own exit code", async () => {
    expect(await startWithClosedStdout("doctor").ended).toMatchObject({ code: 1, stderr: "" });
  });

  it("fails if its output cannot be written for another reason", async () => {
    const full = openSync("/dev/full", "w");
    const { environment: env, directory: cwd } = workspace;
    const child = spawn(process.execPath, [CLI, "accounts", "list"], {
      env,
      cwd,
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, "exit")]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: cannot write to stdout: ENOSPC: no space left on device, write\n",
    });
  });

  it("fails if its output is a backup", async () => {
    expect(await startWithClosedStdout("backup", "-").ended).toMatchObject({
      code: 1,
      stderr: "error: cannot write to stdout: write EPIPE\n",
    });
  });

  it.each([
    [["serve"], /"port":(\d+),"msg":"listening"/],
    [["serve", "--dev"], /listening {2}.*port=(\d+)/],
  ])("continues if it is %j", async (args, listening) => {
    const running = workspace.start(args);
    const [, port] = await running.whenPrinted(listening);
    running.child.stdout?.destroy();
    // each request is logged
    for (let requests = 0; requests < 3; requests++)
      expect((await fetch(`http://127.0.0.1:${port}/v1/usage`)).status).toBe(401);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("exits on SIGTERM if it is `serve`, even if the pipe is open and full", async () => {
    const { environment, directory: cwd } = workspace;
    const path = join(cwd, "pipe");
    execFileSync("mkfifo", [path]);
    const pipe = openSync(path, "r+");
    onTestFinished(() => closeSync(pipe));
    const port = await findFreePort();
    const child = spawn(process.execPath, [CLI, "serve"], {
      env: { ...environment, SNAP_PORT: String(port) },
      cwd,
      stdio: ["ignore", pipe, "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = Promise.all([text(child.stderr!), once(child, "exit")]);
    const origin = `http://127.0.0.1:${port}`;
    await until(
      () => fetch(`${origin}/healthz`).catch(() => null),
      (response) => response !== null,
    );
    // each request logs about 450 bytes; a pipe holds 64 KiB
    for (let requests = 0; requests < 300; requests++)
      expect((await fetch(`${origin}/v1/${"x".repeat(250)}`)).status).toBe(404);
    child.kill("SIGTERM");
    expect(await ended).toEqual(["", [0, null]]);
  });
});
