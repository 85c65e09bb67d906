import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../src/machine/run.ts";
import { ROOT } from "../../../src/workspace.ts";
import { matchesOutput } from "./match-output.ts";
import { readersEnvironment, type PageService } from "./run-page.ts";
import { endGroup, start } from "./shell.ts";

const CLI = join(ROOT, "packages/server/dist/cli.js");

/** Prepares a data folder and ports for a service that a page starts itself. */
export async function prepareService(): Promise<PageService & { clear(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "snap-data-"));
  return {
    dataDir,
    port: await findPorts(),
    variables: {},
    clear: () => rm(dataDir, { recursive: true }),
  };
}

const ADMIN_TOKEN = "an-admin-token-for-the-guides";

/** Starts `serve --dev`, and sets the variables that guides use: `TOKEN`, `SNAP_SIGNING_SECRET` and `SNAP_ADMIN_TOKEN`. */
export async function startDemoService(): Promise<PageService & { stop(): Promise<void> }> {
  const prepared = await prepareService();
  const environment = { ...readersEnvironment(prepared), SNAP_ADMIN_TOKEN: ADMIN_TOKEN };
  const { child, output } = start(process.execPath, [CLI, "serve", "--dev"], {
    directory: ROOT,
    environment,
  });
  const stop = async (): Promise<void> => {
    await endGroup(child);
    await prepared.clear();
  };
  if (!(await output.until((text) => matchesOutput("…\nPress Ctrl-C to stop.\n…", text)))) {
    await stop();
    throw new Error(`the demo service did not start:\n${output.text()}`);
  }
  const token = (await readFile(join(prepared.dataDir, "demo-token"), "utf8")).trim();
  const [id = ""] = token.split("|");
  const revealed = await run(process.execPath, [CLI, "tokens", "reveal", id], {
    env: { SNAP_DATA_DIR: prepared.dataDir, SNAP_LOG_LEVEL: "warn" },
  });
  const variables = { TOKEN: token, SNAP_SIGNING_SECRET: revealed.output, SNAP_ADMIN_TOKEN: ADMIN_TOKEN };
  return { ...prepared, variables, stop };
}

/** Returns the first of three adjacent free ports. They have four digits like the ports on the page, so tables stay aligned. */
async function findPorts(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 4000 + 3 * Math.floor(Math.random() * 1900);
    if ((await isFree(port)) && (await isFree(port + 1)) && (await isFree(port + 2))) return port;
  }
  throw new Error("no three adjacent ports are free");
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
