import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runPnpm } from "./machine/run.ts";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * Packs a built package for publication.
 *
 * @param destination A folder that holds only the archive; created if it does not exist.
 * @returns The path of the archive.
 * @throws Error with the output of `pnpm pack`.
 */
export async function packPackage({ name, folder }: WorkspacePackage, destination: string): Promise<string> {
  mkdirSync(destination, { recursive: true });
  const { ok, output } = await runPnpm(["pack", "--pack-destination", destination], { cwd: folder });
  const [archive] = readdirSync(destination);
  if (!ok || archive === undefined) throw new Error(`Cannot pack ${name}:\n${output}`);
  return join(destination, archive);
}
