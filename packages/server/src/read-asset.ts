import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

/** Reads a file of `assets/`. The path is the same for the sources and for the build, which are at different depths. */
export function readAsset(path: string): Buffer {
  const packageFile = findPackageJSON(import.meta.url);
  if (packageFile === undefined) throw new Error("The package.json of @snap/server is missing.");
  return readFileSync(join(dirname(packageFile), "assets", path));
}
