import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildPackages } from "../build-packages.ts";
import { run, type Outcome } from "../machine/run.ts";
import { CACHE, readPackages, type WorkspacePackage } from "../repository/workspace.ts";
import { packPackage } from "./pack-package.ts";

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

async function examine(part: WorkspacePackage): Promise<Outcome> {
  const archive = await packPackage(part, join(PACKED, part.name));
  const linted = await run("publint", ["run", "--strict", archive]);
  if (!linted.ok) return linted;
  return run("attw", ["--profile", "esm-only", "--format", "ascii", "--no-color", archive]);
}
