import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runPnpm } from "./machine/run.ts";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * Packs a package as it would be published. It must have been built.
 *
 * @param destination A folder for the archive alone; made where there is none.
 * @returns The path of the archive.
 * @throws Error with the packer's own output.
 */
export async function packPackage({ name, folder }: WorkspacePackage, destination: string): Promise<string> {
  mkdirSync(destination, { recursive: true });
  const { ok, output } = await runPnpm(["pack", "--pack-destination", destination], { cwd: folder });
  const [archive] = readdirSync(destination);
  if (!ok || archive === undefined) throw new Error(`${name} can't be packed:\n${output}`);
  return join(destination, archive);
}
