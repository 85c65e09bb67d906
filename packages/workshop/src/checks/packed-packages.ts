import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildPackages } from "../build-packages.ts";
import { run, type Outcome } from "../machine/run.ts";
import { CACHE, readPackages, type WorkspacePackage } from "../repository/workspace.ts";

const PACKED = join(CACHE, "packed");

/** Packs every package that is published, as it would be published, and examines the archives. */
export async function checkPackedPackages(): Promise<Outcome> {
  await buildPackages();
  rmSync(PACKED, { recursive: true, force: true });
  const faults: string[] = [];
  for (const part of readPackages().filter(({ manifest }) => manifest.private !== true)) {
    const { ok, output } = await examine(part);
    if (!ok) faults.push(`${part.name}:\n${output}`);
  }
  return { ok: faults.length === 0, output: faults.join("\n\n") };
}

async function examine({ name, folder }: WorkspacePackage): Promise<Outcome> {
  const destination = join(PACKED, name);
  mkdirSync(destination, { recursive: true });
  const packed = await run("pnpm", ["pack", "--pack-destination", destination], { cwd: folder });
  if (!packed.ok) return packed;
  const archives = readdirSync(destination).map((file) => join(destination, file));
  const linted = await run("publint", ["run", "--strict", ...archives]);
  if (!linted.ok) return linted;
  return run("attw", ["--profile", "esm-only", "--format", "ascii", "--no-color", ...archives]);
}
