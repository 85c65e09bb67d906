import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "../../machine/run.ts";
import { readManifest, ROOT } from "../../repository/workspace.ts";

/** Has a lockfile of its own: these packages are large, and only the benchmark uses them. */
const FOLDER = join(ROOT, "packages/workshop/bench-peers");

/** The ways that render with a package of that folder. */
const WAYS: ReadonlySet<string> = new Set(["capture-website", "browserless"]);

let installed: Promise<void> | null = null;

/**
 * Installs what a way needs beyond the workspace, once per run.
 *
 * @throws Error when the installation fails, with what pnpm says of it.
 */
export async function installPeers(way: string, say: (line: string) => void): Promise<void> {
  if (WAYS.has(way)) await (installed ??= install(say));
}

async function install(say: (line: string) => void): Promise<void> {
  say("installing the packages to compare with");
  const pnpm = readManifest(ROOT).packageManager ?? "pnpm";
  // No install scripts: one of them would download a browser.
  const flags = ["--ignore-workspace", "--frozen-lockfile", "--ignore-scripts"];
  const { ok, output } = await run("npx", ["--yes", pnpm, "install", ...flags, "--reporter=append-only"], {
    cwd: FOLDER,
  });
  if (ok) return;
  const lines = output.split("\n");
  const reason = lines.find((line) => /error|ERR_/.test(line)) ?? lines.at(-1);
  throw new Error(`its packages could not be installed: ${reason?.trim()}`);
}

/** The address of a package's module, for `import()`: types and checks of the workspace never see it. */
export function peerUrl(name: string): string {
  return pathToFileURL(createRequire(join(FOLDER, "package.json")).resolve(name)).href;
}
