import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLI, openWorkspace, type Running } from "./command.ts";

/** Uses a remote browser that does not exist. */
const ENVIRONMENT = { SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_BROWSER_EGRESS: "direct", SNAP_PORT: "0" };

describe("a command whose output nobody reads", () => {
  const workspace = openWorkspace(ENVIRONMENT);
  beforeAll(() => workspace.json(["accounts", "create", "--email", "ada@example.com"]));
  afterAll(() => workspace.clear());

  /** Closes the pipe before the command writes to it. */
  function startUnread(...args: string[]): Running {
    const running = workspace.start(args);
    running.child.stdout?.destroy();
    return running;
  }

  it("ends quietly", async () => {
    expect(await startUnread("accounts", "list").ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("ends with its own exit code", async () => {
    expect(await startUnread("doctor").ended).toMatchObject({ code: 1, stderr: "" });
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
    expect(await startUnread("backup", "-").ended).toMatchObject({
      code: 1,
      stderr: "error: cannot write to stdout: write EPIPE\n",
    });
  });

  it.each([
    [["serve"], /"port":(\d+),"msg":"listening"/],
    [["serve", "--dev"], /listening {2}.*port=(\d+)/],
  ])("continues if it is %j", async (args, listening) => {
    const running = workspace.start(args);
    const [, port] = await running.printed(listening);
    running.child.stdout?.destroy();
    // each request is logged
    for (let requests = 0; requests < 3; requests++)
      expect((await fetch(`http://127.0.0.1:${port}/v1/usage`)).status).toBe(401);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });
});
