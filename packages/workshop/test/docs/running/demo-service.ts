import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "../../../../server/test/cli/command.ts";
import type { PageService } from "./run-page.ts";

/** Prepares a data folder and ports for a service that a page starts itself. */
export async function prepareService(): Promise<PageService & { cleanUp(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "snap-data-"));
  return {
    dataDir,
    port: await findPorts(),
    variables: {},
    cleanUp: () => rm(dataDir, { recursive: true }),
  };
}

/**
 * Starts `serve --dev`, and returns the variables that guides use: `TOKEN`,
 * `SNAP_SIGNING_SECRET` and `SNAP_ADMIN_TOKEN`.
 */
export async function startDemoService(): Promise<PageService & { stop(): Promise<void> }> {
  const port = await findPorts();
  const settings = { SNAP_ADMIN_TOKEN: "an-admin-token-for-the-guides", SNAP_LOG_LEVEL: "warn" };
  const workspace = openWorkspace({ ...settings, SNAP_PORT: String(port) });
  await workspace.start(["serve", "--dev"]).whenPrinted(/^Press Ctrl-C to stop[.]$/m);
  const dataDir = join(workspace.directory, "data");
  const token = (await readFile(join(dataDir, "demo-token"), "utf8")).trim();
  const { stdout } = await workspace.run(["tokens", "reveal", token.split("|")[0] ?? ""]);
  const variables = {
    TOKEN: token,
    SNAP_SIGNING_SECRET: stdout.trim(),
    SNAP_ADMIN_TOKEN: settings.SNAP_ADMIN_TOKEN,
  };
  return { port, dataDir, variables, stop: () => workspace.cleanUp() };
}

/**
 * Returns the first of three adjacent free ports. They have four digits like the ports on the page,
 * so tables stay aligned, and Chromium blocks none of them.
 */
async function findPorts(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 7000 + 3 * Math.floor(Math.random() * 900);
    if ((await isFree(port)) && (await isFree(port + 1)) && (await isFree(port + 2))) return port;
  }
  throw new Error("found no three adjacent free ports");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}
