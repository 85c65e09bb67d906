import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findBrowser } from "@snap/engine/puppeteer";
import { onTestFinished } from "vitest";

/** Starts a browser without a sandbox, as a remote one. It ends with the test. Returns its DevTools URL. */
export async function startRemoteBrowser(): Promise<string> {
  const path = process.env["SNAP_CHROMIUM_PATH"] ?? (await findBrowser()) ?? "";
  const profile = await mkdtemp(join(tmpdir(), "snap-remote-"));
  const args = ["--headless", "--no-sandbox", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const child = spawn(path, args, { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  for await (const line of createInterface(child.stderr)) {
    const [, address] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? [];
    if (address === undefined) continue;
    child.stderr.resume();
    return address;
  }
  throw new Error("the browser did not start");
}
