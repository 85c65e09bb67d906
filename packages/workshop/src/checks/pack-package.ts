import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "../machine/run.ts";
import { readManifest, ROOT, type WorkspacePackage } from "../repository/workspace.ts";

/**
 * Packs a package as it would be published. It must have been built.
 *
 * @param destination A folder for the archive alone; made where there is none.
 * @returns The path of the archive.
 * @throws Error with the packer's own output.
 */
export async function packPackage({ name, folder }: WorkspacePackage, destination: string): Promise<string> {
  mkdirSync(destination, { recursive: true });
  const pnpm = readManifest(ROOT).packageManager ?? "pnpm";
  // Only pnpm knows what `workspace:` stands for, and it isn't always on the PATH.
  const args = ["--yes", pnpm, "pack", "--pack-destination", destination];
  const { ok, output } = await run("npx", args, { cwd: folder });
  const [archive] = readdirSync(destination);
  if (!ok || archive === undefined) throw new Error(`${name} can't be packed:\n${output}`);
  return join(destination, archive);
}
