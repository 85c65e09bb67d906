import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "@snap/engine/puppeteer";
import { onTestFinished } from "vitest";
import { startProgram } from "../../../testing/test/servers/start-program.ts";

/**
 * Starts a browser without a sandbox, to connect to as a remote browser. Returns its DevTools URL;
 * kills the browser at the end of the test.
 */
export async function startRemoteBrowser(): Promise<string> {
  const path = process.env["SNAP_CHROMIUM_PATH"] ?? (await findBrowser()) ?? "";
  const profile = await mkdtemp(join(tmpdir(), "snap-remote-"));
  const args = ["--headless", "--no-sandbox", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const { match, kill } = await startProgram([path, ...args], { ready: /^DevTools listening on (ws:\S+)$/ });
  onTestFinished(async () => {
    await kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  return String(match[1]);
}
